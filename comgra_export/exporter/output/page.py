"""The page: a template filled with the index, the viewer, a summary for readers without JavaScript, and the chunks inside it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from comgra_export.errors import ExportError
from comgra_export.exporter.figures.frames import FramePolicy, hash_for_policy
from comgra_export.exporter.format.index import Index
from comgra_export.exporter.output.finding_lines import FindingsInLines
from comgra_export.exporter.output.scripts import Visualization
from comgra_export.exporter.plan.index import index_json, with_checksum
from comgra_export.resources import find_resource
from comgra_export.storage.text.steps import step_label

__all__ = ["InlineChunk", "Viewer", "load_viewer", "readme", "render_page"]

_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})
# The first ends the element; the second, before a <script in a text, makes the parser overlook the end.
_UNSAFE_IN_SCRIPT = re.compile("</script|<!--", re.IGNORECASE)
_UNSAFE_IN_STYLE = re.compile("</style", re.IGNORECASE)
# What the template leaves open.
_END = b"</body>\n</html>\n"


@dataclass(frozen=True)
class InlineChunk:
    """A chunk inside the page. Nothing in base64 needs to be escaped, so it is put there as it is."""

    number: int
    base64: bytes


@dataclass(frozen=True)
class Viewer:
    """The built viewer: ASCII, and nothing in it ends the element that it is put into."""

    script: str
    style: str


@dataclass(frozen=True)
class _TrialSummary:
    name: str
    steps: int
    first: str
    last: str
    types: list[tuple[str, int]]
    triggered: int


def load_viewer() -> Viewer:
    """Reads the built viewer.

    Raises:
        ExportError: It holds something that cannot stand in a page.
        ComgraExportError: It is missing.
    """
    script = _checked("static/dist/viewer.js", _UNSAFE_IN_SCRIPT)
    return Viewer(script=script, style=_checked("static/dist/viewer.css", _UNSAFE_IN_STYLE))


def json_for_html(index: Index) -> Markup:
    """Writes the index so that it can stand in a script element, whatever the names in it are."""
    return Markup(with_checksum(index_json(index).translate(_ESCAPES)))


def render_page(
    index: Index,
    viewer: Viewer,
    chunks: Iterable[InlineChunk],
    *,
    has_chunk_files: bool,
    visualizations: Sequence[Visualization] = (),
    frames: FramePolicy | None = None,
    findings: Sequence[FindingsInLines] = (),
) -> Iterator[bytes]:
    """Renders the page in pieces of ASCII, so that its chunks are never all in memory: they are consumed while the pieces are.

    `has_chunk_files` says whether there are other chunks, in files of their own. The policy also allows what `frames` run and look like.
    `findings` are for readers without JavaScript.
    """
    template = _templates().get_template("page.html")
    front = template.render(
        index=index,
        index_json=json_for_html(index),
        script=Markup(viewer.script),
        style=Markup(viewer.style),
        visualizations=[Markup(visualization.script) for visualization in visualizations],
        script_sources=_sources([viewer.script, *(own.script for own in visualizations)], [] if frames is None else frames.script_sources),
        style_sources=_sources([viewer.style], [] if frames is None else frames.style_sources),
        has_chunk_files=has_chunk_files,
        trials=_summaries(index),
        findings=findings,
    )
    yield front.encode("ascii", "xmlcharrefreplace")
    # Chunks are large: they go from file to file as they are.
    for chunk in chunks:
        yield b'<template id="chunk-%d">' % chunk.number
        yield chunk.base64
        yield b"</template>\n"
    yield _END


def readme() -> str:
    """Returns the text that lies beside the page in a folder."""
    return find_resource("templates/README.txt").read_text(encoding="ascii")


def _templates() -> Environment:
    return Environment(
        loader=FileSystemLoader(find_resource("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _checked(name: str, unsafe: re.Pattern[str]) -> str:
    text = find_resource(name).read_text(encoding="utf-8")
    match = unsafe.search(text)
    if match or not text.isascii():
        what = f"{match.group()!r}" if match else "characters that are not ASCII"
        raise ExportError(f"{name} holds {what}, which must not be in a page. Build it again: `npm run build` in static/.")
    return text


def _sources(texts: list[str], others: list[str]) -> Markup:
    """What a directive of the policy allows, without what it has twice. Hashes need no escaping."""
    return Markup(" ".join(dict.fromkeys([*(f"'sha256-{hash_for_policy(text)}'" for text in texts), *others])))


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
