"""What was drawn at export."""

from __future__ import annotations

from typing import Literal, TypedDict

__all__ = ["FigureDocument", "FigureSelections", "PlotlyFrame"]


class FigureSelections(TypedDict):
    """For which selections of a trial a figure was drawn, and where that is: a figure selections chunk.

    What a figure does not depend on is -1 throughout; a `sample` of -1 is the batch as a whole. `chunk` and `position` name a member of
    a list of figure documents.
    """

    step: list[float]
    iteration: list[int]
    sample: list[int]
    chunk: list[int]
    position: list[int]


class FigureDocument(TypedDict):
    """What was drawn for a selection. `text` is an image, the document of a frame, the JSON of a figure of plotly, or a traceback."""

    kind: Literal["svg", "html", "plotly", "error"]
    text: str


class PlotlyFrame(TypedDict):
    """The document of a frame that shows a figure of plotly: what comes before its JSON, and what comes behind it."""

    before: str
    behind: str
