"""The layout of graphs in columns: examples by hand, and a slow twin written from the description."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comgra_export.errors import DamagedRecordingError
from comgra_export.exporter.plan.graph_layout import lay_out
from comgra_export.storage import ShownTensor, Structure, TensorType
from support.breadth import examples
from support.exporter.recordings import shown

Columns = list[list[str]]
Kinds = dict[str, TensorType]


def graph(kinds: Kinds, *dependencies: tuple[str, str]) -> Structure:
    """A graph whose nodes have one tensor each, of the same name."""
    names = list(kinds)
    tensors = tuple(shown(name, kind) for name, kind in kinds.items())
    return Structure(tensors, tuple((names.index(source), names.index(sink)) for source, sink in dependencies))


def columns_of(structure: Structure, prefixes: tuple[str, ...] = ("",)) -> Columns:
    nodes = lay_out(structure, prefixes)["nodes"]
    columns: Columns = [[] for _ in set(nodes["column"])]
    for name, column, row in zip(nodes["name"], nodes["column"], nodes["row"], strict=True):
        assert len(columns[column]) == row, "nodes are not ordered by column, then row"
        columns[column].append(name)
    return columns


def test_types_take_turns_and_start_over_at_input() -> None:
    kinds: Kinds = {
        "loss": "loss",
        "target": "target",
        "b": "calculated",
        "a": "calculated",
        "x": "input",
        "late": "input",
        "free": "calculated",
    }
    structure = graph(kinds, ("x", "a"), ("a", "b"), ("b", "loss"), ("target", "loss"), ("free", "late"))
    # After x, nothing of type input is ready, so the calculated ones a and free come; then late, an input again, comes before b.
    assert columns_of(structure) == [["x"], ["a", "free"], ["late"], ["b"], ["target"], ["loss"]]


def test_a_column_holds_only_one_type_even_if_others_are_ready() -> None:
    structure = graph({"l": "loss", "t": "target", "c": "calculated", "i": "input"})
    assert columns_of(structure) == [["i"], ["c"], ["t"], ["l"]]


def test_parameters_go_just_before_the_first_column_that_depends_on_one_of_them() -> None:
    kinds: Kinds = {
        "x": "input",
        "h": "calculated",
        "y": "calculated",
        "net.a.w": "parameter",
        "net.b.w": "parameter",
        "net.b.v": "parameter",
    }
    structure = graph(kinds, ("x", "h"), ("h", "y"), ("net.a.w", "h"), ("net.b.w", "y"), ("net.b.v", "y"))
    assert columns_of(structure, ("net.a", "net.b")) == [["x"], ["net.a.w"], ["h"], ["net.b.v", "net.b.w"], ["y"]]
    # As one group they go before the first that is used.
    assert columns_of(structure) == [["x"], ["net.a.w", "net.b.v", "net.b.w"], ["h"], ["y"]]


def test_a_parameter_belongs_to_the_first_prefix_that_fits_and_the_rest_form_a_last_group() -> None:
    kinds: Kinds = {"y": "calculated", "net.a.w": "parameter", "net.b": "parameter", "other": "parameter", "nothing": "parameter"}
    structure = graph(kinds, *((name, "y") for name in kinds if name != "y"))
    assert columns_of(structure, ("net.a", "net", "unused")) == [["net.a.w"], ["net.b"], ["nothing", "other"], ["y"]]


def test_parameters_on_which_nothing_depends_are_last() -> None:
    structure = graph({"x": "input", "unused": "parameter", "y": "calculated"}, ("x", "y"))
    assert columns_of(structure) == [["x"], ["y"], ["unused"]]


def test_parameters_of_one_node_are_found_by_the_name_of_the_first() -> None:
    tensors = (shown("net.a.w", "parameter", "net"), shown("net.a.b", "parameter", "net"), shown("y"))
    assert columns_of(Structure(tensors, ((1, 2),)), ("net.a",)) == [["net"], ["y"]]


def test_names_are_sorted_within_a_column() -> None:
    names = ["b", "a10", "a2", "A", "é", "a"]
    assert columns_of(graph(dict.fromkeys(names, "input"))) == [["A", "a", "a10", "a2", "b", "é"]]


@pytest.mark.parametrize(
    ("names", "heading", "labels"),
    [
        (["net.a.weight", "net.a.bias"], "net.a.", ["bias", "weight"]),
        (["net.ab", "net.ac"], "net.", ["ab", "ac"]),
        (["net.ab", "netz"], "", ["net.ab", "netz"]),
        (["net.a.weight"], "net.a.", ["weight"]),
        (["plain"], "", ["plain"]),
        (["net.", "net.a"], "", ["net.", "net.a"]),
        (["a..", "a..b"], "a.", [".", ".b"]),
        (["", "a.b"], "", ["", "a.b"]),
        (["x*old"], "", ["x*old"]),
    ],
)
def test_the_part_that_all_names_share_is_the_heading(names: list[str], heading: str, labels: list[str]) -> None:
    laid_out = lay_out(graph(dict.fromkeys(names, "input")), ("",))
    assert laid_out["columns"]["heading"] == [heading]
    assert laid_out["nodes"]["label"] == labels


def test_tensors_keep_their_order_and_point_to_their_nodes() -> None:
    tensors = (
        ShownTensor("y2", "y", "second", "calculated", "y2", 1),
        ShownTensor("x", "x", "x", "input", "z", 0),
        ShownTensor("y1", "y", "first", "calculated", "y1", 1),
    )
    laid_out = lay_out(Structure(tensors, ((1, 2), (1, 0))), ("",))
    assert laid_out["nodes"]["name"] == ["x", "y"]
    assert laid_out["nodes"]["type"] == ["input", "calculated"]
    assert laid_out["tensors"] == {
        "name": ["y2", "x", "y1"],
        "node": [1, 0, 1],
        "role": ["second", "x", "first"],
        "record_name": ["y2", "z", "y1"],
        "record_iteration": [1, 0, 1],
    }
    assert (laid_out["from"], laid_out["to"]) == ([1, 1], [2, 0])
    assert "not_known" not in laid_out
    laid_out = lay_out(Structure(tensors, ((1, 2), (1, 0)), (), ((0, "unseen"), (2, None))), ("",))
    assert laid_out["not_known"] == {"tensor": [0, 2], "reason": ["unseen", None]}


def test_an_empty_graph_is_empty() -> None:
    laid_out = lay_out(Structure((), ()), ("",))
    assert laid_out["nodes"]["name"] == []
    assert laid_out["columns"]["heading"] == []


@pytest.mark.parametrize(
    "structure",
    [
        graph({"a": "calculated"}, ("a", "a")),
        graph({"x": "input", "a": "calculated", "b": "calculated"}, ("x", "a"), ("a", "b"), ("b", "a")),
        graph({"p": "parameter", "a": "calculated"}, ("p", "a"), ("a", "p")),
        graph({"p": "parameter", "q": "parameter"}, ("p", "q"), ("q", "p")),
        # The tensors form no circle, but their nodes do.
        Structure((shown("a1", node="a"), shown("b"), shown("a2", node="a")), ((0, 1), (1, 2))),
        Structure((shown("a1", node="a"), shown("a2", node="a")), ((0, 1),)),
    ],
)
def test_a_circle_is_damage(structure: Structure) -> None:
    with pytest.raises(DamagedRecordingError, match=r"^somewhere .* circle"):
        lay_out(structure, ("",), file="somewhere")


def test_tensors_of_a_node_that_differ_in_type_are_damage() -> None:
    with pytest.raises(DamagedRecordingError, match="'a' has tensors of the types input and loss"):
        lay_out(Structure((shown("a1", "input", "a"), shown("a2", "loss", "a")), ()), ("",))


def test_a_deep_and_a_wide_graph_are_laid_out() -> None:
    size = 10_000
    chain = Structure(tuple(shown(f"n{k}") for k in range(size)), tuple((k, k + 1) for k in range(size - 1)))
    assert lay_out(chain, ("",))["nodes"]["column"] == list(range(size))
    star = Structure((shown("x", "input"), *(shown(f"n{k:05d}") for k in range(size))), tuple((0, k + 1) for k in range(size)))
    assert lay_out(star, ("",))["nodes"]["row"] == [0, *range(size)]


@st.composite
def acyclic_graphs(draw: st.DrawFn) -> Structure:
    """Nodes of one or more tensors; dependencies only lead from an earlier node to a later one, and none leads to a parameter."""
    kinds = draw(st.lists(st.sampled_from(get_args(TensorType)), max_size=8))
    owners = [node for node in range(len(kinds)) for _ in range(draw(st.integers(1, 2)))]
    names = draw(st.lists(st.text("ab.", min_size=1, max_size=5), min_size=len(kinds), max_size=len(kinds), unique=True))
    tensors = [shown(f"{names[node]}#{number}", kinds[node], names[node]) for number, node in enumerate(owners)]
    forward = [
        (source, sink)
        for source in range(len(owners))
        for sink in range(len(owners))
        if owners[source] < owners[sink] and kinds[owners[sink]] != "parameter"
    ]
    dependencies = draw(st.lists(st.sampled_from(forward), unique=True)) if forward else []
    order = draw(st.permutations(range(len(tensors))))
    place = {old: new for new, old in enumerate(order)}
    return Structure(tuple(tensors[old] for old in order), tuple((place[source], place[sink]) for source, sink in dependencies))


def slow_columns(structure: Structure, prefixes: tuple[str, ...]) -> Columns:
    """The description, word for word: checks every node again for every column."""
    tensors = structure.tensors
    kind = {tensor.node: tensor.type for tensor in tensors}
    needs = {node: {tensors[a].node for a, b in structure.dependencies if tensors[b].node == node} for node in kind}
    parameters = {node for node in kind if kind[node] == "parameter"}
    columns: Columns = []
    unplaced = set(kind) - parameters
    while unplaced:
        for wanted in ("input", "calculated", "target", "loss"):
            column = [node for node in unplaced if kind[node] == wanted and not needs[node] & unplaced]
            if column:
                columns.append(sorted(column))
                unplaced -= set(column)
                break
    groups: list[set[str]] = []
    for prefix in (*prefixes, ""):
        group = {node for node in parameters if next(t.name for t in tensors if t.node == node).startswith(prefix)}
        parameters -= group
        groups.append(group)
    for group in filter(None, groups):
        users = [number for number, column in enumerate(columns) if any(needs[node] & group for node in column)]
        columns.insert(users[0] if users else len(columns), sorted(group))
    return columns


@given(structure=acyclic_graphs(), prefixes=st.lists(st.text("ab.", max_size=2), max_size=3).map(tuple))
@examples(150)
def test_the_layout_is_what_the_description_says(structure: Structure, prefixes: tuple[str, ...]) -> None:
    assert columns_of(structure, prefixes) == slow_columns(structure, prefixes)
