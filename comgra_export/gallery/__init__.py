"""A static site that shows bundles: an index that can be searched without a server, and the bundles beside it."""

from __future__ import annotations

from comgra_export.gallery.bundles import ShownBundle, find_bundles
from comgra_export.gallery.site import Gallery, write_gallery

__all__ = ["Gallery", "ShownBundle", "find_bundles", "write_gallery"]
