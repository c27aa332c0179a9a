"""Imports the files of vnittest, another viewer of gradient flows, as a recording, and writes them from a recording."""

from __future__ import annotations

from comgra_export.importers.vnittest.recording import Imported, import_vnittest
from comgra_export.importers.vnittest.writing import Written, write_vnittest

__all__ = ["Imported", "Written", "import_vnittest", "write_vnittest"]
