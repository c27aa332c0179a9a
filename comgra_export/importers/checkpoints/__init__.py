"""Imports checkpoints, the weights that a training run saved now and then, as a recording with a step for each."""

from __future__ import annotations

from comgra_export.importers.checkpoints.recording import ImportedCheckpoints, import_checkpoints

__all__ = ["ImportedCheckpoints", "import_checkpoints"]
