"""The exporter's types and the viewer's are the same."""

from __future__ import annotations

import json
import re
import subprocess
import types
from typing import Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from comgra_export.exporter.format import constants, figures, findings, index, over_time, step_chunks, stored_flows
from support.places import CHECKOUT

STATIC = CHECKOUT / "static"
VIEWER = STATIC / "src" / "data" / "format"
# `types.ts` hands on what other modules hold.
PARTS = re.findall(r'^export \* from "\./(\w+)";', (VIEWER / "types.ts").read_text(encoding="utf-8"), re.MULTILINE)
VIEWER_TYPES = "\n".join((VIEWER / f"{part}.ts").read_text(encoding="utf-8") for part in PARTS)

EXPORTED = {
    name: kind
    for module in (figures, findings, stored_flows, index, over_time, step_chunks)
    for name, kind in vars(module).items()
    if is_typeddict(kind)
}
FOUND = [name for name, kind in vars(findings).items() if is_typeddict(kind)]
# The type of the viewer that each is compared with.
IN_THE_VIEWER = {
    **{name: f"types.{name}" for name in re.findall(r"^export (?:type|interface) (\w+)", VIEWER_TYPES, re.MULTILINE) if name in EXPORTED},
    "StepColumns": 'types.Trial["steps"]',
    "About": 'types.Index["about"]',
    "CallColumns": 'types.Calls["calls"]',
    "StrongestFlows": 'types.StoredFlowPair["strongest"]',
    "Series": "ReturnType<typeof series.parseSeries>",
    "SeriesRecords": 'ViewerSeries["records"]',
    "SeriesParameters": 'ViewerSeries["parameters"]',
    "Histograms": "ReturnType<typeof histograms.parseHistograms>",
    "HistogramRecords": 'ViewerHistograms["records"]',
    **{name: f"findings.{name}" for name in FOUND},
    "SourceLine": "types.SourceLine",
    "FigureSelections": "ReturnType<typeof figures.parseFigureSelections>",
    "PlotlyFrame": "figures.PlotlyFrame",
    "StoryNote": "story.StoryNote",
}
# Compared by hand below: the viewer reads it as a graph of its own.
del IN_THE_VIEWER["Graph"]
HEAD = """
import type * as figures from "viewer/format/figures";
import type * as findings from "viewer/format/findings";
import type * as story from "viewer/format/story";
import type * as types from "viewer/format/types";
import type * as histograms from "viewer/records/histograms";
import type * as series from "viewer/records/series";

// The viewer knows which texts there may be. Apart from that, each side has the members of the other.
type Widened<T> =
  T extends string ? string
  : T extends readonly (infer E)[] ? Widened<E>[]
  : T extends object ? { [K in keyof T]: Widened<T[K]> }
  : T;
type Same<A, B> = [A] extends [Widened<B>] ? ([Widened<B>] extends [A] ? true : never) : never;
"""


def in_typescript(hint: object) -> str:
    """A type of Python in the viewer's language. A number that may be written as a text is a number once it has been read."""
    if hint == constants.JsonNumber:
        return "number"
    if is_typeddict(hint):
        return getattr(hint, "__name__", "")
    if get_origin(hint) is list:
        return f"({in_typescript(get_args(hint)[0])})[]"
    if get_origin(hint) is dict:
        return f"Record<string, {in_typescript(get_args(hint)[1])}>"
    if get_origin(hint) in (Union, types.UnionType):
        alternatives = get_args(hint)
        without_none = [alternative for alternative in alternatives if alternative is not type(None)]
        inside = "number" if set(without_none) == {float, str} else " | ".join(map(in_typescript, without_none))
        return inside if len(without_none) == len(alternatives) else f"{inside} | null"
    return {int: "number", float: "number", str: "string", bool: "boolean"}[hint]  # type: ignore[index]


def as_interface(name: str) -> str:
    """A type of the exporter in the viewer's language."""
    members = "".join(f"  {key}: {in_typescript(hint)};\n" for key, hint in get_type_hints(EXPORTED[name]).items())
    return f"interface {name} {{\n{members}}}"


@pytest.fixture(scope="module")
def differing(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the viewer's compiler says of the types that differ, by name."""
    folder = tmp_path_factory.mktemp("types")
    needed = [name for name in EXPORTED if name in IN_THE_VIEWER or any(f"{name}" in as_interface(other) for other in IN_THE_VIEWER)]
    interfaces = [as_interface(name) for name in needed]
    theirs = [f"type Viewer{name} = {kind};" for name, kind in IN_THE_VIEWER.items()]
    checks = [f"export const same{name}: Same<{name}, Viewer{name}> = true;" for name in IN_THE_VIEWER]
    (folder / "compared.ts").write_text("\n".join([HEAD, *interfaces, *theirs, *checks]), encoding="utf-8")
    options = json.loads((STATIC / "tsconfig.json").read_text(encoding="utf-8"))["compilerOptions"]
    options |= {"paths": {"viewer/*": [f"{STATIC / 'src' / 'data'}/*"]}, "noUnusedLocals": False}
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "files": ["compared.ts"]}), encoding="utf-8")
    compiler = STATIC / "node_modules" / ".bin" / "tsc"
    done = subprocess.run([compiler, "-p", folder, "--pretty", "false"], capture_output=True, text=True, check=False)
    lines = (folder / "compared.ts").read_text(encoding="utf-8").splitlines()
    messages = {}
    for line, message in re.findall(r"^\S*compared\.ts\((\d+),\d+\): (.*)$", done.stdout, re.MULTILINE):
        check = re.match(r"export const same(\w+):", lines[int(line) - 1])
        assert check, done.stdout
        messages[check[1]] = message
    assert bool(messages) == bool(done.returncode), done.stdout + done.stderr
    return messages


@pytest.mark.parametrize("name", IN_THE_VIEWER)
def test_both_sides_describe_the_same_members(name: str, differing: dict[str, str]) -> None:
    assert name not in differing, differing[name]


def test_both_sides_describe_the_same_graph() -> None:
    ours: list[str] = []
    for key, hint in get_type_hints(step_chunks.Graph).items():
        ours += [key, *(get_type_hints(hint) if is_typeddict(hint) else [])]
    theirs = re.search(r"^export interface Graph {\n(.*?)^}$", VIEWER_TYPES, re.DOTALL | re.MULTILINE)
    assert theirs
    assert re.findall(r"(\w+):", theirs[1]) == ours


def test_both_sides_have_the_same_constants() -> None:
    assert f'export const FORMAT = "{constants.FORMAT}";' in VIEWER_TYPES
    assert f"export const VERSION = {constants.VERSION};" in VIEWER_TYPES
    assert f"export const LANE_WIDTHS = {list(constants.LANE_WIDTHS)} as const;" in VIEWER_TYPES
    assert "export const CHUNK_BYTES = 4 * 1024 * 1024;" in VIEWER_TYPES
    assert constants.CHUNK_BYTES == 4 * 1024 * 1024
