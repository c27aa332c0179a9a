"""The files of vnittest, another viewer of gradient flows: into a recording, and back."""

from __future__ import annotations

from comgra_export.importers.vnittest.recording import Imported, import_vnittest
from comgra_export.importers.vnittest.writing import Written, write_vnittest

__all__ = ["Imported", "Written", "import_vnittest", "write_vnittest"]
