"""From recordings to a bundle, as `docs/bundle-format.md` specifies it: laying out graphs, packing numbers, rendering the page."""

from __future__ import annotations

from comgra_export.exporter.build import export
from comgra_export.exporter.bundle import Bundle
from comgra_export.exporter.reporting.progress import Progress

__all__ = ["Bundle", "Progress", "export"]
