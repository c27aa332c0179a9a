"""Imports recordings of comgra 0.11 as recordings of this package, without running anything in their pickles."""

from __future__ import annotations

from comgra_export.importers.comgra.recording import ImportedComgra, find_comgra_trials, import_comgra

__all__ = ["ImportedComgra", "find_comgra_trials", "import_comgra"]
