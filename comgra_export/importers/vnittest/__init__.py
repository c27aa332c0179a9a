"""The files of vnittest, another viewer of gradient flows: into a recording, and back."""

from __future__ import annotations

from comgra_export.importers.vnittest.recording import Imported, import_vnittest

__all__ = ["Imported", "import_vnittest"]
