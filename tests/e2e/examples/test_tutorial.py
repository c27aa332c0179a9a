"""A short tutorial run: its recordings hold what a person would look for, and it is right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from comgra_export.errors import MisuseError
from comgra_export.storage import Layout, Recording, StepDescription, find_recordings, iterate_records, open_recording
from examples import tutorial

STEPS = 41
SAMPLES = 5


@pytest.fixture(scope="module")
def calls() -> list[tuple[int, int, str]]:
    return []


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory, calls: list[tuple[int, int, str]]) -> dict[str, Recording]:
    root = tmp_path_factory.mktemp("recordings")
    state = torch.random.get_rng_state()
    group = tutorial.run(root, group="short", steps=STEPS, progress=lambda *call: calls.append(call))
    assert torch.equal(torch.random.get_rng_state(), state), "the tutorial drew from the global generator"
    assert group == root / "short"
    opened = [open_recording(folder) for folder in find_recordings(group)]
    return {recording.header.trial: recording for recording in opened}


@pytest.fixture(params=["leaky_relu_after_every_layer", "no_activation_on_outputs"])
def recording(request: pytest.FixtureRequest, recordings: dict[str, Recording]) -> Recording:
    return recordings[request.param]


def steps_of(recording: Recording) -> list[StepDescription]:
    return [recording.step(number) for number in recording.steps]


def edges_of(recording: Recording, step: StepDescription, iteration: int) -> set[tuple[str, str]]:
    """Dependencies between nodes, by name."""
    digest = step.structures[iteration]
    assert digest is not None
    structure = recording.structure(digest)
    return {(structure.tensors[a].node, structure.tensors[b].node) for a, b in structure.dependencies}


def values_of(recording: Recording, step: StepDescription, name: str, iteration: int, group: str = "forward") -> NDArray[np.float32]:
    """The recorded values [S, N] of a tensor."""
    layout: Layout = recording.layout(step.layout)
    (place,) = (
        place
        for place in iterate_records(layout)
        if place.group == group and place.entry.name == name and place.entry.iteration == iteration
    )
    count = place.entry.values_count
    flat = recording.blobs(step.step)[f"values.{place.entry.stored}"].data[place.values : place.values + count]
    return flat.reshape(place.entry.samples, -1).astype(np.float32)


def test_both_variants_are_recorded_without_gaps(recordings: dict[str, Recording], calls: list[tuple[int, int, str]]) -> None:
    assert set(recordings) == {"leaky_relu_after_every_layer", "no_activation_on_outputs"}
    for recording in recordings.values():
        assert all(recording.check_step(step) for step in recording.steps)
        assert recording.gaps == ()
        assert [step.gaps for step in steps_of(recording)] == [()] * len(recording.steps)
        assert recording.problems == []
    assert [done for done, _, _ in calls] == list(range(1, 2 * STEPS + 1))
    assert {total for _, total, _ in calls} == {2 * STEPS}
    assert {trial for _, _, trial in calls} == set(recordings)


def test_each_length_is_a_type_of_execution_with_as_many_iterations(recording: Recording) -> None:
    steps = steps_of(recording)
    types = {step.type_of_execution for step in steps}
    assert {"15_iterations", "20_iterations"} < types <= {f"{length:02}_iterations" for length in (*range(1, 11), 15, 20)}
    assert len(types) > 8
    for step in steps:
        assert len(step.structures) == int(step.type_of_execution[:2])
        assert step.samples.index == tuple(range(SAMPLES))


def test_the_graph_of_the_last_iteration(recording: Recording) -> None:
    step = max(steps_of(recording), key=lambda step: len(step.structures))
    edges = edges_of(recording, step, -1)
    assert edges >= {
        ("input", "subnet_pre__out"),
        ("memory*old", "subnet_pre__out"),
        ("subnet_pre__out", "subnet_out__out"),
        ("subnet_out__out", "output"),
        ("subnet_pre__out", "memory"),
        ("output", "loss_per_sample"),
        ("loss_per_sample", "loss"),
        ("input", "helper_partial_sums"),
        ("input*old", "helper_partial_sums"),
        ("network.subnet_pre.layer_1.weight", "subnet_pre__out"),
        ("network.subnet_out.layer_2.bias", "subnet_out__out"),
        ("network.subnet_mem.layer_2.weight", "memory"),
    }
    assert not {("helper_partial_sums", "loss"), ("input", "output"), ("memory", "loss")} & edges


def test_the_final_sum_is_connected_to_every_input(recording: Recording) -> None:
    step = max(steps_of(recording), key=lambda step: len(step.structures))
    digest = step.structures[-1]
    assert digest is not None
    structure = recording.structure(digest)
    (final,) = (row for row, tensor in enumerate(structure.tensors) if tensor.role == "final")
    sources = [structure.tensors[a] for a, b in structure.dependencies if b == final]
    assert sorted((tensor.record_name, tensor.record_iteration) for tensor in sources) == [("input", k) for k in range(20)]


def test_the_network_learns(recordings: dict[str, Recording]) -> None:
    losses = [point.v for point in recordings["no_activation_on_outputs"].curve_points if point.group == "loss"]
    assert abs(losses[0] - np.log(2)) < 0.01
    assert min(losses[-10:]) < 0.68


def test_the_first_iteration_starts_from_the_initial_memory_and_has_no_loss(recording: Recording) -> None:
    step = next(step for step in steps_of(recording) if len(step.structures) > 1)
    digest = step.structures[0]
    assert digest is not None
    shown = recording.structure(digest).tensors
    assert {tensor.role for tensor in shown if tensor.node == "memory*old"} == {"memory__from_initialization"}
    assert not {"loss", "target", "helper_partial_sums"} & {tensor.node for tensor in shown}


def test_helper_target_and_loss_follow_from_the_recorded_inputs_and_outputs(recording: Recording) -> None:
    for step in steps_of(recording):
        last = len(step.structures) - 1
        inputs = [values_of(recording, step, "input", iteration) for iteration in range(last + 1)]
        for iteration in range(last):
            helper = values_of(recording, step, f"helper_partial_sums__up_to_iteration_{iteration + 1:02}", last)
            np.testing.assert_allclose(helper, sum(inputs[: iteration + 1]), atol=1e-5)
        final = values_of(recording, step, "helper_partial_sums__final", last)
        np.testing.assert_allclose(final, sum(inputs), atol=1e-5)
        target, output = (values_of(recording, step, name, last) for name in ("target", "output"))
        np.testing.assert_array_equal(target, final > 0)
        np.testing.assert_allclose(output, 1 / (1 + np.exp(-values_of(recording, step, "subnet_out__out", last))), atol=1e-6)
        np.testing.assert_allclose(
            values_of(recording, step, "loss_per_sample", last), -np.log(np.where(target > 0, output, 1 - output)), rtol=1e-4, atol=1e-6
        )


def test_the_variants_see_the_same_data_and_differ_in_the_activation(recordings: dict[str, Recording]) -> None:
    bugged, repaired = recordings["leaky_relu_after_every_layer"], recordings["no_activation_on_outputs"]
    assert bugged.steps == repaired.steps
    first = bugged.step(bugged.steps[0]), repaired.step(repaired.steps[0])
    np.testing.assert_array_equal(values_of(bugged, first[0], "input", 0), values_of(repaired, first[1], "input", 0))
    sizes = {}
    for recording in (bugged, repaired):
        memories = [values_of(recording, step, "memory", len(step.structures) - 1) for step in steps_of(recording)]
        memory = np.concatenate([values.ravel() for values in memories])
        sizes[recording.header.trial] = abs(memory[memory < 0]).mean() / memory[memory > 0].mean()
    assert sizes["leaky_relu_after_every_layer"] < 0.1 < sizes["no_activation_on_outputs"]


def test_gradients_are_recorded_where_the_network_learns(recording: Recording) -> None:
    for step in steps_of(recording):
        groups = [group.name for group in recording.layout(step.layout).groups]
        testing = step.type_of_execution in ("15_iterations", "20_iterations")
        assert groups == (["forward"] if testing else ["forward", "gradients"])
        if not testing:
            last = len(step.structures) - 1
            output, target = (values_of(recording, step, name, last) for name in ("output", "target"))
            # The derivative of the mean cross entropy over 128 samples of 5 sequences, behind the sigmoid.
            np.testing.assert_allclose(
                values_of(recording, step, "subnet_out__out", last, "gradients"), (output - target) / (128 * 5), rtol=1e-3, atol=1e-7
            )


def test_a_curve_of_loss_and_accuracy_per_type_and_notes(recording: Recording) -> None:
    curves = {(point.group, point.type) for point in recording.curve_points}
    types = {step.type_of_execution for step in steps_of(recording)}
    assert curves == {(group, name) for group in ("loss", "accuracy") for name in types}
    assert all(0 <= point.v <= 1 for point in recording.curve_points if point.group == "accuracy")
    assert "leaky ReLU" in recording.notes[0].text
    assert f"After {STEPS} steps" in recording.notes[-1].text
    assert "20_iterations: loss" in recording.notes[-1].text


def test_a_trial_is_replaced_only_when_asked(tmp_path: Path) -> None:
    for trial in tutorial.VARIANTS:
        # What a process leaves behind if it is killed at its start.
        (tmp_path / "g" / trial / "rank-0" / "steps").mkdir(parents=True)
    with pytest.raises(MisuseError, match="already"):
        tutorial.run(tmp_path, group="g", steps=1)
    tutorial.run(tmp_path, group="g", steps=1, existing_trial="replace")
    tutorial.run(tmp_path, group="g", steps=2, existing_trial="replace")
    assert [open_recording(folder).steps for folder in find_recordings(tmp_path)] == [(0, 1), (0, 1)]
