"""What a drawing function may return, as documents of a bundle."""

from __future__ import annotations

import io
import re
import sys
from importlib import import_module
from typing import Protocol, cast
from xml.etree import ElementTree

from comgra_export.exporter.figures.frames import FramePolicy, framed_html
from comgra_export.exporter.format.figures import FigureDocument

__all__ = ["document_of", "error_document", "plotly_script"]

_SVG_ELEMENT = "{http://www.w3.org/2000/svg}svg"
_COMMENTS = r"(<!--(?:(?!-->).)*-->\s*)*"
_BEGINS_AS_SVG = re.compile(rf"\s*(<\?xml[^>]*>\s*)?{_COMMENTS}(<!DOCTYPE svg[^>]*>\s*{_COMMENTS})?(?=<svg\b)", re.DOTALL)
_FOR_JSON_IN_HTML = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


class _MatplotlibFigure(Protocol):
    def savefig(self, file: io.BytesIO, *, format: str, metadata: dict[str, None]) -> None: ...


class _PlotlyFigure(Protocol):
    def to_json(self) -> str: ...


def document_of(result: object, policy: FramePolicy) -> FigureDocument | None:
    """Makes a document of HTML or SVG as a text, or of a figure of matplotlib or plotly; None of None. `policy` allows what is in it.

    Raises:
        TypeError: It is something else.
        ValueError: It is an SVG that is not well-formed.
    """
    if result is None:
        return None
    if isinstance(result, str):
        text = _clean(result)
        begin = _BEGINS_AS_SVG.match(text)
        if begin is not None:
            return {"kind": "svg", "text": _checked_svg(text[begin.end() :])}
        return {"kind": "html", "text": framed_html(text, policy)}
    if _is_of("matplotlib", "savefig", result):
        return {"kind": "svg", "text": _matplotlib_svg(cast(_MatplotlibFigure, result))}
    if _is_of("plotly", "to_json", result):
        return {"kind": "plotly", "text": _clean(cast(_PlotlyFigure, result).to_json()).translate(_FOR_JSON_IN_HTML)}
    raise TypeError(
        f"The function returned a {type(result).__module__}.{type(result).__qualname__}. "
        "Return HTML or SVG as a str, a figure of matplotlib or plotly, or None to draw nothing."
    )


def error_document(traceback: str) -> FigureDocument:
    """The document of a figure that could not be drawn."""
    return {"kind": "error", "text": _clean(traceback)}


def plotly_script() -> str:
    """The script of the installed plotly."""
    script: str = import_module("plotly.offline").get_plotlyjs()
    return _clean(script)


def _is_of(package: str, method: str, result: object) -> bool:
    """Whether it comes from a package, which is not imported for that."""
    return hasattr(result, method) and any(base.__module__.split(".")[0] == package for base in type(result).__mro__)


def _matplotlib_svg(figure: _MatplotlibFigure) -> str:
    """Draws with text as text, and without the date and the random names that matplotlib adds otherwise. Closes the figure."""
    file = io.BytesIO()
    with import_module("matplotlib").rc_context({"svg.fonttype": "none", "svg.hashsalt": "comgra"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close(figure)
    text = _clean(file.getvalue().decode("utf-8"))
    begin = _BEGINS_AS_SVG.match(text)
    return text if begin is None else text[begin.end() :]


def _checked_svg(text: str) -> str:
    """An SVG that can be shown as an image, which has to be well-formed and to say that it is one."""
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ValueError(f"The SVG is not well-formed: {error}. Text in it needs html.escape().") from error
    if root.tag == "svg":
        return text.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    if root.tag != _SVG_ELEMENT:
        raise ValueError(f"The SVG has another namespace: {root.tag}.")
    return text


def _clean(text: str) -> str:
    """A text as browsers read it: lines end in a newline, and nothing is in it that UTF-8 cannot hold."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
