"""A bundle has the gradient flows of the recording by source, by target and by strength."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st

from comgra_export.exporter import export
from comgra_export.exporter.pack import flow_lanes
from comgra_export.storage import (
    FlowLayer,
    FlowNumbers,
    FlowPair,
    GradientFlow,
    Header,
    PairNumbers,
    RecordedSamples,
    RecordingWriter,
    StepDescription,
)
from support.breadth import examples
from support.exporter.recordings import LAYOUT, random_step
from support.exporter.unpacker import Bundle
from support.storage.strategies import EXAMPLE_FLOW, EXAMPLE_FLOW_NUMBERS, gradient_flows

Flows = Sequence[tuple[GradientFlow, FlowNumbers]]
quick = examples(30)


def write(root: Path, steps: dict[int, Flows], *, rank: int = 0, world_size: int = 1) -> Path:
    """A recording whose steps have these flows."""
    writer = RecordingWriter(root / "group" / "trial" / f"rank-{rank}", Header("group", "trial", rank, world_size))
    layout = writer.write_layout(LAYOUT)
    for number, own in steps.items():
        description = StepDescription(number, "train", 4, layout, (), RecordedSamples((0, 3)), flows=tuple(flow for flow, _ in own))
        writer.write_step(description, random_step(number).blobs(), [numbers for _, numbers in own])
    writer.close()
    return root


def exported(root: Path, **options: Any) -> Bundle:  # noqa: ANN401
    export(root, root / "page.html", force=True, **options)
    return Bundle(root / "page.html")


def dense(flow: GradientFlow, pair: FlowPair, own: PairNumbers) -> list[dict[tuple[int, int], float]]:
    """The flows of each sample by source and target, one after another."""
    size = flow.layers[pair.source].size
    by_sample: list[dict[tuple[int, int], float]] = [{} for _ in range(flow.sample_count)]
    for row in range(len(own.starts) - 1):
        for k in range(int(own.starts[row]), int(own.starts[row + 1])):
            by_sample[row // size][row % size, int(own.targets[k])] = own.flows[k]
    return by_sample


def assert_same(unpacked: dict[str, Any], flow: GradientFlow, numbers: FlowNumbers) -> None:
    assert [unpacked["name"], unpacked["iteration"], unpacked["method"], unpacked["samples"]] == [
        flow.name,
        flow.iteration,
        flow.method,
        [*flow.samples],
    ]
    for layer, own, values, gradients in zip(unpacked["layers"], flow.layers, numbers.values, numbers.gradients, strict=True):
        assert (layer["name"], layer["shape"], layer["role"]) == (own.name, [*own.shape], own.role)
        assert (layer["record_name"], layer["record_iteration"]) == (own.record_name, own.record_iteration)
        for array, expected in ((layer["values"], values), (layer["gradients"], gradients)):
            assert (array is None) == (expected is None)
            assert expected is None or array.tobytes() == expected.tobytes()
    for pair, described, own_numbers in zip(unpacked["pairs"], flow.pairs, numbers.pairs, strict=True):
        assert_same_pair(pair, flow, described, own_numbers)


def assert_same_pair(unpacked: dict[str, Any], flow: GradientFlow, described: FlowPair, own: PairNumbers) -> None:
    assert (unpacked["from"], unpacked["to"]) == (described.source, described.target)
    for key in ("computed", "residuals"):
        expected = getattr(own, key)
        assert (unpacked[key] is None) == (expected is None)
        if expected is not None:
            np.testing.assert_array_equal(unpacked[key], expected.reshape(-1))
    sizes = flow.layers[described.source].size, flow.layers[described.target].size
    place = 0
    for sample, expected in enumerate(dense(flow, described, own)):
        for key, size in (("by_source", sizes[0]), ("by_target", sizes[1])):
            rows, swapped = unpacked[key], key == "by_target"
            read = {}
            for element in range(size):
                first, last = rows["starts"][sample * size + element], rows["starts"][sample * size + element + 1]
                for k in range(first, last):
                    other = int(rows["others"][k])
                    read[(other, element) if swapped else (element, other)] = rows["flows"][k]
            assert read.keys() == expected.keys()
            np.testing.assert_array_equal([read[key] for key in expected], [*expected.values()])
        finite = [float(value) for value in expected.values() if np.isfinite(value)]
        sums = [unpacked[key][sample] for key in ("count", "positive", "negative", "largest", "non_finite")]
        positive, negative = sum(value for value in finite if value > 0), sum(value for value in finite if value < 0)
        largest = max(map(abs, finite), default=0)
        np.testing.assert_allclose(sums, [len(expected), positive, negative, largest, len(expected) - len(finite)], rtol=1e-9)
        count = unpacked["strongest"]["count"][sample]
        shown = {key: unpacked["strongest"][key][place : place + count] for key in ("sources", "targets", "flows")}
        place += count
        assert len({*zip(shown["sources"].tolist(), shown["targets"].tolist(), strict=True)}) == count
        for source, target, value in zip(*(shown[key].tolist() for key in ("sources", "targets", "flows")), strict=True):
            assert expected[source, target] == value
        assert np.all(np.diff(np.abs(shown["flows"])) <= 0)
        for sign in (1, -1):
            of_sign = sorted((abs(value) for value in finite if value * sign > 0), reverse=True)[: flow_lanes._STRONGEST]
            assert [abs(value) for value in shown["flows"].tolist() if value * sign > 0] == of_sign
    assert place == len(unpacked["strongest"]["flows"])


@quick
@given(
    st.lists(gradient_flows(), max_size=2, unique_by=lambda flow: flow[0].name),
    st.sampled_from([256 * 1024, 64]),
    st.sampled_from([256, 2]),
)
def test_they_are_those_of_the_recording(recorded: Flows, chunk_bytes: int, strongest: int) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(flow_lanes, "FLOW_CHUNK_BYTES", chunk_bytes)
        patch.setattr(flow_lanes, "_STRONGEST", strongest)
        bundle = exported(write(Path(folder), {3: recorded}))
        trial = bundle.trial("trial")
        assert (trial["flows"] < 0) == (not recorded)
        bundled_flows = bundle.flows(trial, chunk_bytes) if recorded else []
        for unpacked, (flow, numbers) in zip(bundled_flows, recorded, strict=True):
            assert unpacked["step"] == 3
            assert_same(unpacked, flow, numbers)


def test_they_stand_in_the_order_of_steps(tmp_path: Path) -> None:
    other = GradientFlow("other", 1, "given", (), (FlowLayer("a", ()), FlowLayer("b", (2,))), ())
    nothing = FlowNumbers((None, None), (None, np.zeros((1, 2), np.float32)), ())
    example = (EXAMPLE_FLOW, EXAMPLE_FLOW_NUMBERS)
    bundle = exported(write(tmp_path, {4: [example, (other, nothing)], 2: [], 9: [example]}))
    flows = bundle.flows(bundle.trial("trial"))
    assert [(flow["step"], flow["name"]) for flow in flows] == [(4, "gradient flow"), (4, "other"), (9, "gradient flow")]


def test_a_damaged_flow_is_left_out_and_named(tmp_path: Path) -> None:
    write(tmp_path, {1: [(EXAMPLE_FLOW, EXAMPLE_FLOW_NUMBERS)], 2: [(EXAMPLE_FLOW, EXAMPLE_FLOW_NUMBERS)]})
    file = tmp_path / "group" / "trial" / "rank-0" / "flows" / "000000000001-000.safetensors"
    arrays = safetensors.numpy.load_file(file)
    arrays["targets.0"][0] = 2
    safetensors.numpy.save_file(arrays, file)
    bundled = export(tmp_path, tmp_path / "page.html")
    (problem,) = bundled.problems
    assert problem.startswith("Step 1 of trial lacks a gradient flow.")
    bundle = Bundle(tmp_path / "page.html")
    assert [flow["step"] for flow in bundle.flows(bundle.trial("trial"))] == [2]
    assert bundle.trial("trial")["steps"]["step"] == [1, 2]


def test_ranks_keep_their_own(tmp_path: Path) -> None:
    for rank in (0, 1):
        write(tmp_path, {0: [(EXAMPLE_FLOW, EXAMPLE_FLOW_NUMBERS)]}, rank=rank, world_size=2)
    bundle = exported(tmp_path)
    assert bundle.trial("trial", None)["flows"] == -1
    assert [len(bundle.flows(bundle.trial("trial", rank))) for rank in (0, 1)] == [1, 1]


def random_flow(name: str, size: int) -> tuple[GradientFlow, FlowNumbers]:
    """Every element to every one, with numbers that nothing compresses."""
    generator = np.random.default_rng(size)
    flow = GradientFlow(name, 0, "exact", (), (FlowLayer("x", (size,)), FlowLayer("y", (size,))), (FlowPair(0, 1),))
    targets = np.tile(np.arange(size, dtype=np.int32), size)
    own = PairNumbers(np.arange(0, size * size + 1, size), targets, generator.normal(size=size * size).astype(np.float32))
    return flow, FlowNumbers((None, None), (None, None), (own,))


def test_a_size_limit_leaves_the_largest_flows_out_before_whole_steps_and_reports_it(tmp_path: Path) -> None:
    steps: dict[int, Flows] = {10: [random_flow("small", 40)], 20: [random_flow("large", 150), random_flow("middle", 90)], 30: []}
    write(tmp_path, steps)
    whole = export(tmp_path, tmp_path / "page.html", force=True).bytes

    def fitted(max_size: int) -> tuple[int, list[str], list[int], list[str]]:
        bundled = export(tmp_path, tmp_path / "page.html", max_size=max_size, force=True)
        assert bundled.bytes <= max_size
        bundle = Bundle(tmp_path / "page.html")
        trial = bundle.trial("trial")
        names = [flow["name"] for flow in bundle.document(trial["flows"])]
        return bundled.bytes, names, trial["steps"]["step"], [sentence for sentence in bundled.omissions if "gradient flow" in sentence]

    assert fitted(whole)[1:] == (["small", "large", "middle"], [10, 20, 30], [])
    smaller, *others = fitted(int(whole * 0.8))
    assert others == [["small", "middle"], [10, 20, 30], ["1 of 3 gradient flows is left out: large of step 20."]]
    least = fitted(int(smaller * 0.8))
    assert least[1:] == (["small"], [10, 20, 30], ["2 of 3 gradient flows are left out: large of step 20, middle of step 20."])


def test_without_values_there_are_no_flows(tmp_path: Path) -> None:
    write(tmp_path, {1: [(EXAMPLE_FLOW, EXAMPLE_FLOW_NUMBERS)]})
    bundled = export(tmp_path, tmp_path / "page.html", precision="none")
    assert Bundle(tmp_path / "page.html").trial("trial")["flows"] == -1
    assert "1 of 1 gradient flows is left out: gradient flow of step 1." in bundled.omissions
