"""The numbers of the format, and how numbers are written."""

from __future__ import annotations

__all__ = [
    "CHUNK_BYTES",
    "FLOW_CHUNK_BYTES",
    "FORMAT",
    "HISTOGRAM_CHUNK_BYTES",
    "INLINE_JSON_BYTES",
    "JSON_LIST_BYTES",
    "LANE_WIDTHS",
    "MOST_CELL_INDICES",
    "MOST_NAME_LETTERS",
    "MOST_NOTES",
    "MOST_TEXT_LETTERS",
    "MOST_TITLE_LETTERS",
    "MOST_VIEW_LETTERS",
    "NEWS_BYTES",
    "NEWS_CHUNK_BYTES",
    "NO_FIGURES",
    "NO_FINDINGS",
    "NO_FLOWS",
    "NO_SERIES",
    "VERSION",
    "JsonNumber",
]


FORMAT = "comgra-bundle"
VERSION = 1

CHUNK_BYTES = 4 * 1024 * 1024
"""Raw bytes of a chunk of a lane, save the lane's last one. A multiple of every lane's width."""

INLINE_JSON_BYTES = 16 * 1024 * 1024
"""What the JSON chunks inside the page of a folder may take together, as base64."""

JSON_LIST_BYTES = 1024 * 1024
"""Raw bytes of a chunk that several layouts or graphs share: what has to be parsed for looking at one of them."""

LANE_WIDTHS = (8, 4, 2, 1)
"""Bytes per element of the four lanes, in the order in which a step's lanes are written."""

NEWS_BYTES = 512 * 1024
"""What the chunks behind the index of a folder that is kept fresh may take together, as scripts."""

NEWS_CHUNK_BYTES = 192 * 1024
"""What each of them may take: a chunk of histograms, but not a whole chunk of other numbers."""

NO_SERIES = -1
"""Stands for the chunk of a trial that has nothing over time."""

HISTOGRAM_CHUNK_BYTES = 512 * 1024
"""Raw bytes of a chunk of a lane of histograms, save the lane's last one: what a panel shows should not cost much more than itself."""

NO_FLOWS = -1
"""Stands for the chunk of a trial that has no gradient flows."""

FLOW_CHUNK_BYTES = 256 * 1024
"""Raw bytes of a chunk of the lane of a gradient flow, save the lane's last one: what one element has of it should not cost much more."""

NO_FINDINGS = -1
"""Stands for the chunk of a trial in which no rule was checked."""

NO_FIGURES = -1
"""Stands for the chunk of a trial for which nothing was drawn, and for that of plotly if it is not needed."""

MOST_NOTES = 200
"""Notes of a story. The next ones limit what is in a note, in letters."""
MOST_TITLE_LETTERS = 200
MOST_TEXT_LETTERS = 5000
MOST_VIEW_LETTERS = 8000
MOST_NAME_LETTERS = 2000
"""The name of a node or of a curve that a note points at."""
MOST_CELL_INDICES = 32
"""The dimensions of a cell that a note points at."""

JsonNumber = float | str
"""A number, or `"NaN"`, `"Infinity"`, `"-Infinity"`."""
