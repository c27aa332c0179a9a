"""The exporter's types and the viewer's are the same."""

from __future__ import annotations

import re
import types
from typing import Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from comgra_export.exporter.format import constants, figures, flows, index, over_time, step
from support.places import CHECKOUT

VIEWER_TYPES = (CHECKOUT / "static" / "src" / "data" / "format" / "types.ts").read_text(encoding="utf-8")

EXPORTED = {name: kind for module in (figures, flows, index, over_time, step) for name, kind in vars(module).items() if is_typeddict(kind)}


def members(interface: str) -> str:
    """The text between the braces of an interface."""
    match = re.search(rf"^(?:export )?interface {interface} {{\n(.*?)^}}$", VIEWER_TYPES, re.DOTALL | re.MULTILINE)
    assert match, interface
    return match[1]


def in_typescript(hint: object) -> str:
    """A type of Python in the viewer's language. A number that may be written as a text is a number once it has been read."""
    if hint == constants.JsonNumber:
        return "number"
    if is_typeddict(hint):
        return getattr(hint, "__name__", "")
    if get_origin(hint) is list:
        inside = in_typescript(get_args(hint)[0])
        return f"({inside})[]" if "|" in inside else f"{inside}[]"
    if get_origin(hint) in (Union, types.UnionType):
        alternatives = get_args(hint)
        without_none = [alternative for alternative in alternatives if alternative is not type(None)]
        inside = "number" if set(without_none) == {float, str} else " | ".join(map(in_typescript, without_none))
        return inside if len(without_none) == len(alternatives) else f"{inside} | null"
    return {int: "number", float: "number", str: "string", bool: "boolean"}[hint]  # type: ignore[index]


@pytest.mark.parametrize(
    "name",
    [
        "Index", "ChunkTable", "ArraySet", "SampleSet", "Places", "Trial", "StepColumns", "About", "AboutRecording", "Session", "Curve",
        "GradientFacts", "StepFacts", "ModuleRuns", "ParameterList", "Series", "SeriesRecords", "SeriesParameters",
        "Figure", "FigureSelections", "PlotlyFrame", "Calls", "CallColumns", "Histograms", "HistogramRecords",
        "StoredFlow", "StoredFlowLayer", "StoredFlowPair", "FlowRows", "StrongestFlows",
    ],
)  # fmt: skip
def test_both_sides_describe_the_same_members(name: str) -> None:
    theirs = dict(re.findall(r"^  (\w+): (.*);$", members(name), re.MULTILINE))
    ours = {key: in_typescript(hint) for key, hint in get_type_hints(EXPORTED[name]).items()}
    assert ours == theirs


def test_both_sides_describe_the_same_graph() -> None:
    ours: list[str] = []
    for key, hint in get_type_hints(step.Graph).items():
        ours += [key, *(get_type_hints(hint) if is_typeddict(hint) else [])]
    assert re.findall(r"(\w+):", members("Graph")) == ours


def test_both_sides_have_the_same_constants() -> None:
    assert f'export const FORMAT = "{constants.FORMAT}";' in VIEWER_TYPES
    assert f"export const VERSION = {constants.VERSION};" in VIEWER_TYPES
    assert f"export const LANE_WIDTHS = {list(constants.LANE_WIDTHS)} as const;" in VIEWER_TYPES
    assert "export const CHUNK_BYTES = 4 * 1024 * 1024;" in VIEWER_TYPES
    assert constants.CHUNK_BYTES == 4 * 1024 * 1024
