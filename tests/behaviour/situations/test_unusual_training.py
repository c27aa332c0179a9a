"""Situations in which recorders raised or recorded something wrong: each works, or ends in a clear error or a gap."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from comgra_export import ComgraRecorder
from comgra_export.errors import MisuseError
from comgra_export.storage import open_recording
from support.processes import ReadyProcesses
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import Record, folder_of, read_edges, read_gaps, read_records, read_structure

B = 4


def record(recorder: ComgraRecorder, tensor: Tensor, **arguments: object) -> Record:
    """Registers one tensor in a step of its own, and reads it back."""
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("odd", tensor, **arguments)  # type: ignore[arg-type]
    return read_records(recorder)["forward", "odd", 0]


@pytest.mark.parametrize("dimensions", [1, 2, 3, 4, 5, 6])
def test_tensors_of_any_number_of_dimensions(recorder: ComgraRecorder, dimensions: int) -> None:
    tensor = torch.rand(B, *[2] * (dimensions - 1))
    recorded = record(recorder, tensor)
    assert recorded.values.tolist() == tensor.flatten().tolist()
    assert recorded.statistics["mean"][3:] == pytest.approx(tensor.reshape(B, -1).mean(dim=1).tolist())


@pytest.mark.parametrize("graph", ["data_flow", "autograd"])
@pytest.mark.parametrize("function", ["chunk", "split", "unbind"])
def test_outputs_of_one_operation(make_recorder: MakeRecorder, function: str, graph: str) -> None:
    recorder = make_recorder(graph=graph)
    pieces: dict[str, Callable[[Tensor], tuple[Tensor, ...]]] = {
        "chunk": lambda hidden: hidden.chunk(3, dim=1),
        "split": lambda hidden: hidden.split(2, dim=1),
        "unbind": lambda hidden: hidden.reshape(B, 3, 2).unbind(dim=1),
    }
    layer = nn.Linear(2, 6)
    recorder.track_module("layer", layer)
    with recorder.batch(0, B), recorder.iteration():
        query, key, value = pieces[function](layer(torch.rand(B, 2)))
        for name, tensor in (("query", query), ("key", key), ("value", value)):
            recorder.register_tensor(name, tensor)
        attended = torch.softmax(query @ key.T, dim=-1) @ value
        recorder.register_tensor("attended", attended)
        attended.sum().backward()
        recorder.record_current_gradients("gradients")
    edges = read_edges(recorder)
    assert {edge for edge in edges if edge[1] == "attended"} == {("query", "attended"), ("key", "attended"), ("value", "attended")}
    assert ("layer.weight", "query") in edges
    assert read_records(recorder)["gradients", "value", 0].counts[4] == 0


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.uint8], ids=str)
def test_integers_and_booleans_are_tensors_like_any_other(recorder: ComgraRecorder, dtype: torch.dtype) -> None:
    tensor = torch.tensor([[0, 1], [1, 1], [0, 0], [1, 0]], dtype=dtype)
    recorded = record(recorder, tensor)
    assert recorded.values.tolist() == [0, 1, 1, 1, 0, 0, 1, 0]
    assert recorded.statistics["mean"][:1] == [0.5]


def test_a_module_with_integer_parameters(recorder: ComgraRecorder) -> None:
    module = nn.Module()
    module.weight = nn.Parameter(torch.ones(2, 2, dtype=torch.int8), requires_grad=False)
    recorder.track_module("module", module)
    with recorder.batch(0, B), recorder.iteration():
        pass
    assert read_records(recorder)["forward", "module.weight", -1].statistics["mean"] == [1]


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.zeros(B, 2, dtype=torch.complex64),
        lambda: torch.zeros(B, 2).to_sparse(),
        lambda: torch.nested.nested_tensor([torch.zeros(1), torch.zeros(2)]),
        lambda: torch.zeros(B, 2, device="meta"),
        lambda: torch.quantize_per_tensor(torch.zeros(B, 2), 1.0, 0, torch.qint8),
    ],
    ids=["complex", "sparse", "nested", "meta", "quantized"],
)
@pytest.mark.filterwarnings("ignore:.*[Nn]ested", "ignore:.*quantiz")
def test_what_has_no_place_in_a_recording_is_a_gap(make_recorder: MakeRecorder, make: Callable[[], Tensor]) -> None:
    recorder, tensor = make_recorder(strict=False), make()
    with recorder.batch(0, B), recorder.iteration():
        with pytest.warns(UserWarning, match="Not recorded: the tensor 'odd'"):
            recorder.register_tensor("odd", tensor)
        recorder.register_tensor("fine", torch.zeros(B, 2))
    assert ("forward", "fine", 0) in read_records(recorder)
    assert [gap.tensor for gap in read_gaps(recorder)] == ["odd"]


def test_a_list_is_misuse(recorder: ComgraRecorder) -> None:
    with pytest.raises(MisuseError, match="'odd' is a list"), recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("odd", [1.0])  # type: ignore[arg-type]


def test_numbers_without_dimensions_and_tensors_without_a_batch(recorder: ComgraRecorder) -> None:
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("temperature", torch.tensor(0.5))
        recorder.register_tensor("table", torch.arange(6.0).reshape(2, 3), index_of_batch_dimension=None)
    records = read_records(recorder)
    assert records["forward", "temperature", 0].statistics == {"single_value": [0.5]}
    assert records["forward", "table", 0].values.tolist() == [0, 1, 2, 3, 4, 5]


def test_a_vector_is_no_loss(recorder: ComgraRecorder) -> None:
    with (
        pytest.raises(MisuseError, match=r"shape \[4\], but a loss is one number.*mean or sum"),
        recorder.batch(0, B),
        recorder.iteration(),
    ):
        recorder.register_tensor("loss", torch.zeros(B), is_loss=True)


def test_an_empty_tensor(recorder: ComgraRecorder) -> None:
    recorded = record(recorder, torch.zeros(B, 0))
    assert recorded.counts[:4] == [0, 0, 0, 0]
    assert np.isnan(recorded.statistics["mean"]).all()


def test_eight_bit_floats(recorder: ComgraRecorder) -> None:
    recorded = record(recorder, torch.tensor([[0.5], [1.0], [-2.0], [0.0]]).to(torch.float8_e4m3fn))
    assert recorded.values.tolist() == [0.5, 1.0, -2.0, 0.0]
    assert recorded.statistics["abs_max"][1] == 2.0


def test_a_last_batch_that_is_smaller(recorder: ComgraRecorder) -> None:
    with recorder.batch(0, 2), recorder.iteration():
        recorder.register_tensor("x", torch.zeros(2, 1))
    with pytest.raises(MisuseError, match="is not the current_batch_size 4"), recorder.batch(1, B), recorder.iteration():
        recorder.register_tensor("x", torch.zeros(2, 1))


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_evaluation_has_a_graph(recorder: ComgraRecorder, mode: Callable[[], torch.no_grad]) -> None:
    layer = nn.Linear(2, 2).eval()
    recorder.track_module("layer", layer)
    with mode(), recorder.batch(0, B), recorder.iteration():
        x = torch.rand(B, 2)
        recorder.register_tensor("x", x, is_input=True)
        hidden = layer(x)
        recorder.register_tensor("hidden", hidden)
        recorder.register_tensor("choice", hidden.argmax(dim=1))
    assert read_edges(recorder) == {
        ("x", "hidden"),
        ("layer.weight", "hidden"),
        ("layer.bias", "hidden"),
        ("hidden", "choice"),
    }
    structure = read_structure(recorder)
    assert len(structure.without_gradient) == len(structure.dependencies)


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_checkpointed_blocks_are_recorded_once(recorder: ComgraRecorder, use_reentrant: bool) -> None:
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    recorder.track_module("first", first)
    recorder.track_module("second", second)

    def block(x: Tensor) -> Tensor:
        hidden = torch.relu(first(x))
        recorder.register_tensor("hidden", hidden)
        result: Tensor = second(hidden)
        return result

    with recorder.batch(0, B), recorder.iteration():
        x = torch.rand(B, 2, requires_grad=True)
        recorder.register_tensor("x", x, is_input=True)
        loss = checkpoint(block, x, use_reentrant=use_reentrant).sum()
        recorder.register_tensor("loss", loss, is_loss=True)
        loss.backward()
        recorder.record_current_gradients("gradients")
    edges = read_edges(recorder)
    assert {("x", "hidden"), ("first.weight", "hidden"), ("hidden", "loss"), ("second.weight", "loss")} <= edges
    step = open_recording(folder_of(recorder)).step(0)
    assert step.module_runs is not None
    assert step.module_runs.calls == (1, 1)
    assert read_records(recorder)["gradients", "x", 0].counts[4] == 0


def test_a_module_called_twice(recorder: ComgraRecorder) -> None:
    layer = nn.Linear(2, 2)
    recorder.track_module("layer", layer)
    with recorder.batch(0, B), recorder.iteration():
        x = torch.rand(B, 2)
        for call in range(2):
            x = layer(x)
            recorder.register_tensor(f"call {call}", x)
        with pytest.raises(MisuseError, match=r"'call 1' was given twice.*counter in its names"):
            recorder.register_tensor("call 1", x)
    assert ("call 0", "call 1") in read_edges(recorder)


def test_evaluating_the_model_after_a_recorded_step(recorder: ComgraRecorder) -> None:
    layer = nn.Linear(2, 2)

    def model(x: Tensor) -> Tensor:
        hidden: Tensor = layer(x)
        recorder.register_tensor("hidden", hidden)
        return hidden

    with recorder.batch(0, B), recorder.iteration():
        model(torch.rand(B, 2))
    for _ in range(2):
        model(torch.rand(B, 2))
    assert [name for group, name, _ in read_records(recorder)] == ["hidden"]


def test_an_in_place_operation_on_a_registered_input(recorder: ComgraRecorder) -> None:
    layer = nn.Linear(2, 1)
    with recorder.batch(0, B), recorder.iteration():
        x = torch.rand(B, 2)
        before = x.clone()
        recorder.register_tensor("x", x, is_input=True)
        x.mul_(2)
        layer(x).sum().backward()
        recorder.record_current_gradients("gradients")
    records = read_records(recorder)
    assert records["forward", "x", 0].values.tolist() == before.flatten().tolist()
    # Its gradient is that of the values from before.
    assert records["gradients", "x", 0].values.tolist() == (2 * layer.weight.detach()).expand(B, 2).flatten().tolist()
    assert not x.requires_grad


def test_a_leaf_that_is_not_registered(recorder: ComgraRecorder) -> None:
    free = torch.rand(B, 2, requires_grad=True)
    with recorder.batch(0, B), recorder.iteration():
        x = torch.rand(B, 2)
        recorder.register_tensor("x", x, is_input=True)
        recorder.register_tensor("sum", x + free)
    assert read_edges(recorder) == {("x", "sum")}


def test_accumulation_needs_a_name_for_each_recording(recorder: ComgraRecorder) -> None:
    layer = nn.Linear(2, 1)
    recorder.track_module("layer", layer)
    with recorder.batch(0, B), recorder.iteration():
        for micro in range(2):
            layer(torch.ones(B, 2)).sum().backward()
            recorder.record_current_gradients(f"after {micro + 1}")
        with pytest.raises(MisuseError, match="taken by another call"):
            recorder.record_current_gradients("after 2")
    records = read_records(recorder)
    assert records["after 1", "layer.bias", -1].statistics["mean"] == [B]
    assert records["after 2", "layer.bias", -1].statistics["mean"] == [2 * B]
    facts = open_recording(folder_of(recorder)).step(0).gradients
    assert [(fact.group, fact.backward_passes) for fact in facts] == [("after 1", 1), ("after 2", 2)]


def test_an_earlier_step_says_what_to_do(recorder: ComgraRecorder) -> None:
    with recorder.batch(5, B), recorder.iteration():
        pass
    with pytest.raises(MisuseError, match=r"5.*number of its own"):
        recorder.start_batch(5, B)


def test_lazy_modules_say_what_to_do(recorder: ComgraRecorder) -> None:
    with pytest.raises(MisuseError, match=r"has no shape yet\. Run the module once"):
        recorder.track_module("lazy", nn.LazyLinear(2))


def test_no_module_needs_to_be_tracked(recorder: ComgraRecorder) -> None:
    assert record(recorder, torch.zeros(B, 1)).counts[3] == B


def test_frozen_parameters_stay_frozen_and_are_in_the_graph(recorder: ComgraRecorder) -> None:
    frozen, head = nn.Linear(2, 2).requires_grad_(False), nn.Linear(2, 1)
    recorder.track_module("frozen", frozen)
    recorder.track_module("head", head)
    before = frozen.weight.clone()
    optimizer = torch.optim.SGD([*frozen.parameters(), *head.parameters()], lr=0.1)
    for step in range(3):
        with recorder.batch(step, B), recorder.iteration():
            x = torch.rand(B, 2)
            recorder.register_tensor("x", x, is_input=True)
            hidden = frozen(x)
            recorder.register_tensor("hidden", hidden)
            optimizer.zero_grad()
            head(hidden).sum().backward()
            optimizer.step()
    assert torch.equal(frozen.weight, before)
    assert not frozen.weight.requires_grad
    assert ("frozen.weight", "hidden") in read_edges(recorder, 2)


def test_an_in_place_operation_after_registering(recorder: ComgraRecorder) -> None:
    layer = nn.Linear(2, 2)
    with recorder.batch(0, B), recorder.iteration():
        hidden = layer(torch.rand(B, 2))
        before = hidden.detach().clone()
        recorder.register_tensor("hidden", hidden)
        functional.relu(hidden, inplace=True)
        recorder.register_tensor("rectified", hidden)
    records = read_records(recorder)
    assert records["forward", "hidden", 0].values.tolist() == before.flatten().tolist()
    assert records["forward", "hidden", 0].statistics["mean"][0] == pytest.approx(before.mean().item(), abs=1e-7)
    assert records["forward", "rectified", 0].values.tolist() == before.relu().flatten().tolist()
    assert ("hidden", "rectified") in read_edges(recorder)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_statistics_of_half_precision_are_not_computed_in_it(recorder: ComgraRecorder, dtype: torch.dtype) -> None:
    values = torch.full((B, 3), 300.0).to(dtype)
    values[0, 0] = 1 / 12
    recorded = record(recorder, values)
    assert recorded.statistics["mean"][0] == pytest.approx(values.double().mean().item(), rel=1e-6)
    module = nn.Linear(4, 4).to(dtype)
    recorder.track_module("module", module)
    with recorder.batch(1, B), recorder.iteration():
        pass
    largest = torch.linalg.svdvals(module.weight.detach().double())[0].item()
    assert read_records(recorder, 1)["forward", "module.weight", -1].statistics["svd"] == pytest.approx([largest], rel=1e-5)


def test_a_batch_of_one_has_no_deviation(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    with recorder.batch(0, 1), recorder.iteration():
        recorder.register_tensor("x", torch.rand(1, 3))
    assert read_records(recorder)["forward", "x", 0].statistics["std"][2] == 0


def test_what_goes_through_detach_or_comes_late_is_connected(recorder: ComgraRecorder) -> None:
    layer = nn.Linear(2, 2)
    with recorder.batch(0, B), recorder.iteration():
        x = torch.rand(B, 2)
        hidden = layer(x)
        detached = hidden.detach()
        last = layer(detached) + 1
        recorder.register_tensor("last", last)
        recorder.register_tensor("hidden", hidden)
        recorder.register_tensor("detached", detached)
        recorder.register_tensor("x", x, is_input=True)
    assert read_edges(recorder) == {("x", "hidden"), ("hidden", "detached"), ("detached", "last")}
    structure = read_structure(recorder)
    names = [row.name for row in structure.tensors]
    dashed = {tuple(names[row] for row in structure.dependencies[position]) for position in structure.without_gradient}
    assert ("hidden", "detached") in dashed


def test_an_absent_gradient_is_not_zero(recorder: ComgraRecorder) -> None:
    used, unused = nn.Linear(1, 1), nn.Linear(1, 1)
    recorder.track_module("used", used)
    recorder.track_module("unused", unused)
    with recorder.batch(0, 1), recorder.iteration():
        (used(torch.zeros(1, 1)) * 0).sum().backward()
        recorder.record_current_gradients("gradients")
    records = read_records(recorder)
    assert records["gradients", "used.weight", -1].counts[3:] == [1, 0]
    assert records["gradients", "unused.weight", -1].counts[3:] == [1, 1]


def test_forward_calls_before_the_first_step_leave_nothing(recorder: ComgraRecorder) -> None:
    import gc
    import weakref

    alive = weakref.WeakSet[Tensor]()
    for _ in range(50):
        tensor = torch.rand(B, 2)
        alive.add(tensor)
        recorder.register_tensor("x", tensor)
    del tensor
    gc.collect()
    assert not alive


CRASHES = {
    "in the first step": "recorder.start_batch(0, 1)",
    "after a step": "step(0)",
    "in the second step": "step(0); recorder.start_batch(1, 1)",
}


@pytest.mark.parametrize("case", CRASHES)
def test_a_run_that_ends_at_once_leaves_a_recording_that_opens(processes: ReadyProcesses, tmp_path: Path, case: str) -> None:
    script = f"""
import os, torch
from comgra_export import ComgraRecorder
recorder = ComgraRecorder({str(tmp_path)!r})
def step(number):
    with recorder.batch(number, 1, override__recording_is_active=True), recorder.iteration():
        recorder.register_tensor("x", torch.zeros(1, 1))
    recorder.flush()
{CRASHES[case]}
os._exit(3)
"""
    done = processes.run(script, tmp_path)
    assert done.returncode == 3, done.stderr
    recording = open_recording(tmp_path / "default" / "trial" / "rank-0")
    assert recording.steps == (() if case == "in the first step" else (0,))
    assert recording.problems == []
