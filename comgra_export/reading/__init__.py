"""Reads recordings and bundles in Python, as NumPy columns: `comgra_export.read`."""

from __future__ import annotations

from comgra_export.reading.histogram import Histogram
from comgra_export.reading.opening import Reading, is_bundle, read
from comgra_export.reading.table import Table
from comgra_export.reading.tables import Graph
from comgra_export.reading.trial import Trial

__all__ = ["Graph", "Histogram", "Reading", "Table", "Trial", "is_bundle", "read"]
