"""Imports the curves of TensorBoard's event files as a recording."""

from __future__ import annotations

from comgra_export.importers.tensorboard.recording import ImportedCurves, import_tensorboard

__all__ = ["ImportedCurves", "import_tensorboard"]
