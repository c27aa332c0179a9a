"""Files of vnittest become recordings with all that vnittest would show, and also what it cannot open."""

from __future__ import annotations

import pickle
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from comgra_export.errors import ForeignDataError, MisuseError
from comgra_export.importers.vnittest import import_vnittest
from comgra_export.importers.vnittest.layer_order import layers_in_order
from comgra_export.storage import FlowNumbers, GradientFlow, Recording, StepDescription, iterate_records, open_recording
from support.importers.vnittest_files import CHAIN_RULE, SAMPLE, VNITTEST, connectivity, write_debug_data, write_explicit, write_files


class ImportResult(NamedTuple):
    recording: Recording
    step: StepDescription
    flows: dict[str, tuple[GradientFlow, FlowNumbers]]

    def matrix(self, name: str, pair: int = 0) -> np.ndarray:
        """The flows of a pair as a full matrix, read off the rows one by one."""
        flow, numbers = self.flows[name]
        rows, own = flow.layers[flow.pairs[pair].source].size, numbers.pairs[pair]
        matrix = np.zeros((rows, flow.layers[flow.pairs[pair].target].size), np.float32)
        for row in range(rows):
            for place in range(own.starts[row], own.starts[row + 1]):
                matrix[row, own.targets[place]] = own.flows[place]
        return matrix

    def values(self, name: str) -> np.ndarray:
        """The values of a tensor, in its shape and dtype."""
        layout, blobs = self.recording.layout(self.step.layout), self.recording.blobs(0)
        record = next(place for place in iterate_records(layout) if place.entry.name == name)
        data = blobs[f"values.{record.entry.stored}"].data[record.values : record.values + record.entry.values_count]
        return data.reshape(record.entry.shape)


def imported(source: Path | str, tmp_path: Path) -> ImportResult:
    done = import_vnittest(str(source), tmp_path / "recordings", trial="made")
    recording = open_recording(done.folder / "rank-0")
    assert recording.check_step(0)
    step = recording.step(0)
    flows = {flow.name: (flow, recording.flow_numbers(0, place)) for place, flow in enumerate(step.flows)}
    assert done.flows == tuple((flow.name, sum(len(pair.flows) for pair in own.pairs)) for flow, own in flows.values())
    assert not recording.problems
    return ImportResult(recording, step, flows)


def reasons(result: ImportResult) -> list[str]:
    return [f"{gap.tensor}: {gap.reason}" if gap.tensor else gap.reason for gap in result.step.gaps]


GIVEN, NEIGHBOURS = "gradient flow", "gradient flow to neighbours"


def test_the_sample_becomes_both_estimates(tmp_path: Path) -> None:
    result = imported(SAMPLE / "test_", tmp_path)
    assert [(name, flow.method) for name, (flow, _) in result.flows.items()] == [
        (CHAIN_RULE, "chain_rule_estimate"),
        (VNITTEST, "vnittest_estimate"),
    ]
    flow, numbers = result.flows[VNITTEST]
    assert [(layer.name, layer.shape, layer.role) for layer in flow.layers] == [
        ("input", (8, 12), "input"),
        ("in", (8, 12), "layer"),
        ("out", (8, 12), "layer"),
        ("target", (8, 12), "target"),
    ]
    assert [(pair.source, pair.target) for pair in flow.pairs] == [(1, 2)]
    matrix = result.matrix(VNITTEST)
    assert np.flatnonzero(matrix.any(axis=1)).tolist() == [29]
    np.testing.assert_allclose(matrix[29].min(), -0.0104167, atol=1e-7)
    np.testing.assert_allclose(matrix[29].max(), 0.0104167, atol=1e-7)
    assert [(matrix[29] > 0).sum(), (matrix[29] < 0).sum()] == [94, 2]
    assert np.flatnonzero(matrix[29] < 0).tolist() == [2 * 12 + 7, 3 * 12 + 6]
    assert matrix.sum(dtype=np.float64) == pytest.approx(0.958333, abs=1e-6)
    # The estimate is not the chain rule, so a part of the gradient, which is 1, remains. Our estimate leaves no remainder.
    residuals = numbers.pairs[0].residuals
    assert residuals is not None
    assert residuals[0, 29] == pytest.approx(1 - 0.958333, abs=1e-6)
    chain_rule = result.matrix(CHAIN_RULE)
    np.testing.assert_allclose(chain_rule[29], np.full(96, 1 / 96), rtol=1e-6)
    assert not chain_rule[:29].any()
    assert not chain_rule[30:].any()
    residuals = result.flows[CHAIN_RULE][1].pairs[0].residuals
    assert residuals is not None
    assert np.abs(residuals).max() < 1e-6
    assert reasons(result) == []


def test_layers_and_pictures_are_tensors_with_values(tmp_path: Path) -> None:
    result = imported(SAMPLE / "test_flow_info.pkl", tmp_path)
    assert np.argwhere(result.values("in")).tolist() == [[2, 5]]
    assert np.argwhere(result.values("out") == -1).tolist() == [[2, 7], [3, 6]]
    assert np.argwhere(result.values("input")).tolist() == [[2, 5], [2, 6]]
    assert np.argwhere(result.values("target")).tolist() == [[2, 7]]
    layout, blobs = result.recording.layout(result.step.layout), result.recording.blobs(0)
    assert [(group.name, [layout.tensors[place].name for place in group.tensors]) for group in layout.groups] == [
        ("forward", ["input", "target"]),
        ("gradients", ["in", "out"]),
    ]
    # `out` holds 94 ones and two -1: mean, mean magnitude, unbiased standard deviation, largest magnitude.
    statistics = blobs["statistics.F32"].data.astype(np.float64)
    np.testing.assert_allclose(statistics[-4:], [92 / 96, 1, np.sqrt((1 - (92 / 96) ** 2) * 96 / 95), 1], rtol=1e-6)
    assert blobs["extrema.F32"].data[-1].tolist() == [-1, 1]
    assert blobs["counts"].data[:, 3].tolist() == [94, 95, 95, 0]
    structure = result.recording.structure(result.step.structures[0] or "")
    names = [tensor.name for tensor in structure.tensors]
    assert [(names[source], names[target]) for source, target in structure.dependencies] == [("in", "out")]


def test_matrices_are_kept_as_they_are(tmp_path: Path) -> None:
    result = imported(write_debug_data(tmp_path / "debug_data"), tmp_path)
    flow, numbers = result.flows[GIVEN]
    assert list(result.flows) == [GIVEN]
    assert flow.method == "given"
    assert [layer.name for layer in flow.layers] == ["input", "conv1", "conv2", "conv3", "target"]
    assert [(pair.source, pair.target) for pair in flow.pairs] == [(1, 2), (2, 3)]
    assert np.array_equal(result.matrix(GIVEN), connectivity())
    assert sum(len(pair.flows) for pair in numbers.pairs) == 68
    assert (result.matrix(GIVEN) == 1).sum() == 25
    expected = 0.99 * 4 + 0.01 * np.array([[1, 2, 1, 1], [2, 4, 2, 2], [1, 2, 1, 1], [1, 2, 1, 1]])
    np.testing.assert_allclose(result.matrix(GIVEN).sum(axis=1).reshape(4, 4), expected, rtol=1e-6)
    np.testing.assert_allclose(result.values("conv1"), expected, rtol=1e-6)
    residuals = numbers.pairs[0].residuals
    assert residuals is not None
    assert np.abs(residuals).max() < 1e-5
    assert result.values("target").dtype == np.int64
    assert result.recording.layout(result.step.layout).tensors[-1].dtype == "I64"


def test_the_explicit_mode_leads_to_neighbours(tmp_path: Path) -> None:
    result = imported(write_explicit(tmp_path / "explicit"), tmp_path)
    flow, numbers = result.flows[NEIGHBOURS]
    assert list(result.flows) == [NEIGHBOURS]
    assert flow.method == "vnittest_neighbours"
    assert [layer.shape for layer in flow.layers] == [(9, 3, 4), (9, 3, 4), (9, 3, 4), (1, 3, 4)]
    links = [np.unravel_index([source, target], (9, 3, 4)) for source, target in np.argwhere(result.matrix(NEIGHBOURS))]
    # The ninth plane leads down and to the right, the fifth stays where it is.
    assert [np.transpose(link).tolist() for link in links] == [[[4, 0, 0], [4, 0, 0]], [[8, 1, 2], [8, 2, 3]]]
    assert numbers.pairs[0].flows.tolist() == [1, 1]
    assert numbers.pairs[0].residuals is None


def test_the_explicit_mode_may_end_in_one_plane(tmp_path: Path) -> None:
    gradients = np.zeros((9, 3, 4), np.float32)
    gradients[5, 1, 1] = 1
    files = write_files(
        tmp_path / "x", {"a": gradients, "b": np.ones((3, 4), np.float32)}, {("a", "b"): None}, np.zeros((9, 3, 4), np.float32)
    )
    assert np.argwhere(imported(files, tmp_path).matrix(NEIGHBOURS)).tolist() == [[5 * 12 + 5, 6]]


def test_a_layer_that_only_the_flows_name_has_the_sums_of_its_flows(tmp_path: Path) -> None:
    matrix = np.array([[1, 2, 0], [0, -1, 4]], np.float64)
    files = write_files(tmp_path / "x", {"a": np.ones((1, 2), np.float32)}, {("a", "b"): matrix, ("b", "c"): np.eye(3) * 2})
    result = imported(files, tmp_path)
    flow, numbers = result.flows[GIVEN]
    assert [(layer.name, layer.shape) for layer in flow.layers] == [("a", (1, 2)), ("b", (3,)), ("c", (3,))]
    # As a source, what leaves it; else what comes in.
    assert result.values("b").tolist() == [2, 2, 2]
    assert result.values("c").tolist() == [2, 2, 2]
    assert numbers.pairs[0].residuals is not None
    assert numbers.pairs[1].residuals is None
    assert reasons(result)[-2:] == [
        f"{name}: the files have no gradients of it; those shown are the sums of its flows." for name in ("b", "c")
    ]


@pytest.mark.parametrize(
    ("indices_in", "indices_out"),
    [
        ([0, 5, 5], [3, 2, 2]),
        (np.array([5, 0]), (2, 3)),
        (([0, 1], [0, 2]), ([1, 1], [1, 0])),
        ((np.array([0, 1]), np.array([0, 2])), np.array([[1, 1], [1, 0]])),
        ([0, 5], ([1, 1], [1, 0])),
        (np.array([[0], [5], [5]]), np.array([3, 2, 2], np.uint8)),
    ],
)
def test_links_are_positions_flat_or_in_rows_and_columns(tmp_path: Path, indices_in: object, indices_out: object) -> None:
    gradients = {"a": np.ones((2, 3), np.float32), "b": np.ones((2, 2), np.float32)}
    flows = {("a", "b"): {"indices_in": indices_in, "indices_out": indices_out}}
    result = imported(write_files(tmp_path / "x", gradients, flows), tmp_path)
    expected = np.zeros((6, 4))
    expected[0, 3] = expected[5, 2] = 1
    assert np.array_equal(result.matrix(GIVEN), expected)


def test_given_and_estimated_flows_are_apart(tmp_path: Path) -> None:
    layer = np.ones((2, 2), np.float32)
    files = write_files(tmp_path / "x", {"a": layer, "b": layer, "c": layer}, {("b", "c"): None, ("a", "b"): np.eye(4)})
    result = imported(files, tmp_path)
    assert {name: [(pair.source, pair.target) for pair in flow.pairs] for name, (flow, _) in result.flows.items()} == {
        GIVEN: [(0, 1)],
        CHAIN_RULE: [(1, 2)],
        VNITTEST: [(1, 2)],
    }


def test_a_picture_has_another_name_where_a_layer_has_its(tmp_path: Path) -> None:
    layer = np.ones((2, 2), np.float32)
    files = write_files(tmp_path / "x", {"input": layer, "target": layer}, {("input", "target"): None}, layer * 2, layer * 3)
    flow, _ = imported(files, tmp_path).flows[CHAIN_RULE]
    assert [(layer.name, layer.role) for layer in flow.layers] == [
        ("input 2", "input"),
        ("input", "layer"),
        ("target", "layer"),
        ("target 2", "target"),
    ]


@pytest.mark.parametrize(
    ("named", "pairs", "expected"),
    [
        (["conv10", "conv2", "conv1"], [], ["conv1", "conv2", "conv10"]),
        (["conv1", "conv10", "conv2"], [("conv2", "conv10"), ("conv1", "conv2")], ["conv1", "conv2", "conv10"]),
        (["a", "b", "c"], [("c", "b"), ("b", "a")], ["c", "b", "a"]),
        ([], [("z", "y"), ("y", "x")], ["z", "y", "x"]),
        (["a", "b"], [("a", "b"), ("b", "a")], ["a", "b"]),
        (["a", "b", "c"], [("a", "b"), ("b", "c"), ("a", "c")], ["a", "b", "c"]),
    ],
)
def test_layers_follow_their_flows(named: list[str], pairs: list[tuple[str, str]], expected: list[str]) -> None:
    assert layers_in_order(named, pairs) == expected


def test_lost_content_is_reported(tmp_path: Path) -> None:
    layer = np.ones((2, 2), np.float32)
    gradients = {"a": layer, "b": layer, ("a", "b"): layer, "text": "x", "empty": np.zeros((0, 3))}
    flows = {
        ("a", "b"): None,
        ("b", "a"): None,
        ("a", "a"): None,
        "a": None,
        ("a", "wide"): np.ones((5, 2)),
        ("nowhere", "b"): None,
        ("a", "text"): {"indices_in": [0]},
        ("b", "wide"): {"indices_in": [0, 9], "indices_out": [0, 1]},
    }
    result = imported(write_files(tmp_path / "x", gradients, flows), tmp_path)
    assert list(result.flows) == [CHAIN_RULE, VNITTEST]
    said = "\n".join(reasons(result))
    for words in (
        "there is no input_representation.npy",
        "there is no target_representation.npy",
        "activation_gradients has the key ('a', 'b')",
        "text: its gradients are a str and not",
        "empty: its gradients are an array of the shape [0, 3]",
        "gradient_flows has flows from 'a' to itself",
        "gradient_flows has the key 'a'",
        "flows from b to a lead back",
        "nowhere: nothing says how many elements",
        "text: nothing says how many elements",
        "flows from a to wide are [5, 2], but a has 4 elements and wide 2",
        "flows from b to wide have indices_in that are not positions in [2, 2]",
        "wide: the files have no gradients of it; and no flows to take sums of",
    ):
        assert words in said


def test_too_many_flows_to_estimate_are_reported(tmp_path: Path) -> None:
    layer = np.ones((80, 80), np.float32)
    result = imported(write_files(tmp_path / "x", {"a": layer, "b": layer}, {("a", "b"): None}), tmp_path)
    assert list(result.flows) == [GIVEN]
    assert "the flows from a to b are too many to be estimated: 6,400 elements by 6,400." in reasons(result)
    assert result.values("a").shape == (80, 80)


def test_a_small_file_cannot_ask_for_estimates_without_end(tmp_path: Path) -> None:
    """An array under many names takes as much room in the file as under one name."""
    layer = np.zeros((60, 60), np.float32)
    layer[0, 0] = 1
    names = [f"layer {number}" for number in range(12)]
    source = write_files(tmp_path / "x", dict.fromkeys(names, layer), dict.fromkeys(pairwise(names)))
    assert (source / "flow_info.pkl").stat().st_size < 20_000
    result = imported(source, tmp_path)
    assert len(result.flows[CHAIN_RULE][0].pairs) == 4
    assert sum("too many to be estimated" in reason for reason in reasons(result)) == 7


def test_numbers_that_are_none_come_through(tmp_path: Path) -> None:
    matrix = np.array([[np.nan, np.inf], [1e300, 1e-300]])
    layer = np.array([[np.nan, -np.inf]], np.float32)
    result = imported(write_files(tmp_path / "x", {"a": layer, "b": layer}, {("a", "b"): matrix}), tmp_path)
    np.testing.assert_array_equal(result.matrix(GIVEN), np.array([[np.nan, np.inf], [np.inf, 0]], np.float32))
    np.testing.assert_array_equal(result.values("a"), layer)


@pytest.mark.parametrize("protocol", range(6))
def test_every_protocol_and_order_of_bytes_gives_the_same(tmp_path: Path, protocol: int) -> None:
    matrix = np.arange(8, dtype=">f8").reshape(4, 2)
    gradients = {"a": np.asfortranarray(np.arange(4, dtype=">f4").reshape(2, 2)), "b": np.ones((1, 2), np.float16)}
    files = write_files(tmp_path / "x", gradients, {("a", "b"): np.asfortranarray(matrix)}, protocol=protocol)
    result = imported(files, tmp_path)
    assert np.array_equal(result.matrix(GIVEN), matrix)
    assert result.values("a").tolist() == [[0, 1], [2, 3]]


@pytest.mark.parametrize("given", ["data", "data/", "data/run_", "data/run_flow_info.pkl"])
def test_a_folder_a_prefix_and_the_pickle_are_understood(tmp_path: Path, given: str) -> None:
    layer = np.ones((1, 2), np.float32)
    write_files(tmp_path / "data", {"a": layer, "b": layer}, {("a", "b"): None}, layer, layer, prefix="run_")
    done = import_vnittest(f"{tmp_path}/{given}", tmp_path / "recordings")
    assert done.folder == tmp_path / "recordings" / "vnittest" / "run"
    assert done.gaps == ()


def test_files_without_a_prefix_are_named_after_their_folder(tmp_path: Path) -> None:
    assert import_vnittest(str(write_debug_data(tmp_path / "debug_data")), tmp_path / "recordings").folder.name == "debug_data"


def test_several_files_in_a_folder_need_a_choice(tmp_path: Path) -> None:
    for prefix in ("one_", "two_"):
        write_files(tmp_path / "x", {"a": np.ones(2)}, {}, prefix=prefix)
    with pytest.raises(ForeignDataError, match=r"2 files.*one_flow_info.pkl, .*two_flow_info.pkl"):
        import_vnittest(str(tmp_path / "x"), tmp_path / "recordings")
    # vnittest would take this one.
    write_files(tmp_path / "x", {"a": np.ones(2)}, {})
    assert import_vnittest(str(tmp_path / "x"), tmp_path / "recordings").folder.name == "x"


@pytest.mark.parametrize("given", ["missing", "missing/", "missing/flow_info.pkl"])
def test_files_that_are_not_there_are_said(tmp_path: Path, given: str) -> None:
    with pytest.raises(ForeignDataError, match=r"There is no .*flow_info.pkl"):
        import_vnittest(f"{tmp_path}/{given}", tmp_path / "recordings")


@pytest.mark.parametrize("info", [[], {}, {"activation_gradients": {}}, {"activation_gradients": [], "gradient_flows": {}}, "x", None])
def test_another_pickle_is_refused(tmp_path: Path, info: object) -> None:
    (tmp_path / "flow_info.pkl").write_bytes(pickle.dumps(info))
    with pytest.raises(ForeignDataError, match=r"is not one of vnittest's.*activation_gradients"):
        import_vnittest(str(tmp_path), tmp_path / "recordings")


def test_a_hostile_or_damaged_file_leaves_nothing_behind(tmp_path: Path) -> None:
    layer = np.ones((1, 2), np.float32)
    files = write_files(tmp_path / "x", {"a": layer, "b": layer}, {("a", "b"): None}, layer, layer)
    (files / "target_representation.npy").write_bytes(b"\x93NUMPY")
    with pytest.raises(ForeignDataError, match=r"target_representation.npy"):
        import_vnittest(str(files), tmp_path / "recordings")
    (files / "flow_info.pkl").write_bytes(b"cos\nsystem\n(S'x'\ntR.")
    with pytest.raises(ForeignDataError, match=r"flow_info.pkl is not read: at byte 0, it names os.system"):
        import_vnittest(str(files), tmp_path / "recordings")
    assert not (tmp_path / "recordings").exists()


def test_texts_among_numbers_are_no_array(tmp_path: Path) -> None:
    """numpy would make every element as wide as the longest text."""
    gradients = {"a": np.ones((1, 2)), "b": ["x" * 100_000, *range(50_000)]}
    result = imported(write_files(tmp_path / "x", gradients, {}), tmp_path)
    assert any(reason.startswith("b: its gradients are a list") for reason in reasons(result))


def test_a_trial_that_is_there_is_not_touched(tmp_path: Path) -> None:
    imported(SAMPLE, tmp_path)
    with pytest.raises(MisuseError, match="already"):
        imported(write_debug_data(tmp_path / "debug_data"), tmp_path)
    recording = open_recording(tmp_path / "recordings" / "vnittest" / "made" / "rank-0")
    assert [layer.name for layer in recording.step(0).flows[0].layers] == ["input", "in", "out", "target"]
