"""Figures in a bundle, read as the format page says."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

from support.exporter.unpacker import Bundle

Selection = tuple[int, int, int]
"""Step, iteration and sample; -1 for what the figure does not depend on."""


def write_file(folder: Path, text: str, name: str = "own.py") -> Path:
    """A Python file that draws, with the imports that it needs."""
    path = folder / name
    path.write_text(f"from comgra_export.visualization import visualization\nimport json\n{text}", encoding="utf-8")
    return path


def places(bundle: Bundle, title: str, trial: str = "trial") -> dict[Selection, tuple[int, int]]:
    """Chunk and position of each figure, by selection."""
    (figure,) = (figure for figure in bundle.index["figures"] if figure["title"] == title)
    number = [entry["name"] for entry in bundle.index["trials"]].index(trial)
    chunk = figure["selections"][number]
    if chunk < 0:
        return {}
    columns = bundle.document(chunk)
    names = ("step", "iteration", "sample", "chunk", "position")
    rows = zip(*(columns[name] for name in names), strict=True)
    return {(step, iteration, sample): (chunk, position) for step, iteration, sample, chunk, position in rows}


def drawn(bundle: Bundle, title: str, trial: str = "trial") -> dict[Selection, tuple[str, str]]:
    """Kind and text of each figure, by selection."""
    documents: dict[Selection, Any] = {
        selection: bundle.document(chunk)[position] for selection, (chunk, position) in places(bundle, title, trial).items()
    }
    return {selection: (document["kind"], document["text"]) for selection, document in documents.items()}


def svg_json(text: str) -> Any:  # noqa: ANN401 - any JSON
    """The JSON that a figure wrote into an SVG."""
    match = re.search(r"<text>(.*)</text>", text, re.DOTALL)
    assert match
    return json.loads(html.unescape(match[1]))
