"""The page: a template filled with the index, the viewer, a summary for readers without JavaScript, and the chunks inside it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from comgra_export.errors import WrongChoiceError
from comgra_export.exporter.figures.frames import FramePolicy
from comgra_export.exporter.format.index import Index
from comgra_export.exporter.output.drawing_frame import DrawingFrame
from comgra_export.exporter.output.finding_lines import FindingsInLines
from comgra_export.exporter.output.templates import allowed, escaped_json, templates
from comgra_export.exporter.output.viewer import Viewer
from comgra_export.exporter.plan.index import index_json, with_checksum
from comgra_export.resources import find_resource
from comgra_export.storage.text.steps import step_label

__all__ = ["InlineChunk", "is_web_address", "read_picture", "readme", "render_page"]

# What a page shows that ends before its text. It stands before the style sheet, which is large. It comes after half a second, so that a
# page that is whole does not say this for a moment while it opens.
_CUT_OFF = (
    "html:not(:has(main))::before{content:'';animation:late 0s .5s forwards}"
    "@keyframes late{to{content:'This page is still being loaded, or its file was cut off. Then get it again.'}}"
)
# What the template leaves open.
_END = b"</body>\n</html>\n"


@dataclass(frozen=True)
class InlineChunk:
    """A chunk inside the page. Nothing in base64 needs to be escaped, so it is put there as it is."""

    number: int
    base64: bytes


@dataclass(frozen=True)
class _TrialSummary:
    name: str
    steps: int
    first: str
    last: str
    types: list[tuple[str, int]]
    triggered: int


def json_for_html(index: Index) -> Markup:
    """Writes the index so that it can stand in a script element, whatever the names in it are."""
    return Markup(with_checksum(escaped_json(index_json(index))))


def render_page(
    index: Index,
    viewer: Viewer,
    chunks: Iterable[InlineChunk],
    *,
    has_chunk_files: bool,
    drawing_frame: DrawingFrame | None = None,
    frames: FramePolicy | None = None,
    findings: Sequence[FindingsInLines] = (),
    picture: str = "",
) -> Iterator[bytes]:
    """Renders the page in pieces of ASCII, so that its chunks are never all in memory: they are consumed while the pieces are.

    `has_chunk_files` says whether there are other chunks, in files of their own. The policy also allows what `drawing_frame` runs, and
    what `frames` run and look like.
    `findings` are for readers without JavaScript. `picture` is the address of the one that previews of links show; empty: none.
    """
    template = templates().get_template("page.html")
    front = template.render(
        index=index,
        index_json=json_for_html(index),
        script=Markup(viewer.script),
        style=Markup(viewer.style),
        cut_off=Markup(_CUT_OFF),
        drawing_frame=None if drawing_frame is None else Markup(drawing_frame.json),
        script_sources=allowed(
            [viewer.script, *(() if drawing_frame is None else drawing_frame.scripts)], [] if frames is None else frames.script_sources
        ),
        style_sources=allowed([_CUT_OFF, viewer.style], [] if frames is None else frames.style_sources),
        has_chunk_files=has_chunk_files,
        trials=_summaries(index),
        findings=findings,
        picture=picture,
    )
    yield front.encode("ascii", "xmlcharrefreplace")
    # Chunks are large: they go from file to file as they are.
    for chunk in chunks:
        yield b'<template id="chunk-%d">' % chunk.number
        yield chunk.base64
        yield b"</template>\n"
    yield _END


def read_picture(address: str | None) -> str:
    """The address of a picture as `export` gets it; empty: none.

    Raises:
        WrongChoiceError: It is not an address on the web.
    """
    # Whoever previews a link knows no folder in which a shorter address begins.
    if address is not None and not is_web_address(address):
        raise WrongChoiceError(f"The picture {address!r} is not an address on the web. Give one that begins with https://.")
    return address or ""


def is_web_address(text: str) -> bool:
    """Whether a text is an address on the web that names a host. Nothing is asked of that host."""
    return re.fullmatch(r"https?://[^/\s]\S*", text) is not None


def readme() -> str:
    """Returns the text that lies beside the page in a folder."""
    return find_resource("templates/README.txt").read_text(encoding="ascii")


def _summaries(index: Index) -> list[_TrialSummary]:
    ranks = Counter(trial["name"] for trial in index["trials"])
    summaries = []
    for trial in index["trials"]:
        steps = trial["steps"]
        regular = Counter(kind for kind, triggered in zip(steps["type"], steps["triggered"], strict=True) if triggered < 0)
        numbers = steps["step"]
        rank = "all ranks together" if trial["rank"] is None else f"rank {trial['rank']}"
        summaries.append(
            _TrialSummary(
                name=f"{trial['name']} ({rank})" if ranks[trial["name"]] > 1 else trial["name"],
                steps=len(numbers),
                first=step_label(numbers[0]) if numbers else "",
                last=step_label(numbers[-1]) if numbers else "",
                types=[(index["strings"][kind], count) for kind, count in regular.items()],
                triggered=len(numbers) - regular.total(),
            )
        )
    return summaries
