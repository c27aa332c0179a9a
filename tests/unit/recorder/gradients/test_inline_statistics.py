"""Large gradients, whose statistics the recorder computes during the backward pass, and who holds the gradients afterwards."""

from __future__ import annotations

import gc
import threading
import warnings
import weakref
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from comgra_export import ComgraRecorder, ComgraRecordingWarning, DecisionMakerForRecordingsHardcoded
from comgra_export.recorder.gradients import inline_statistics
from comgra_export.recorder.host import autograd
from comgra_export.recorder.numbers.collector import Measurements
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import Record, folder_of, read_gaps, read_records

B = 4
SHAPE = (B, 20_000)


@dataclass
class Flow:
    """The gradients of a recorded step: their sums in float64 by a separate hook, and whether anything still holds them."""

    recorder: ComgraRecorder
    totals: dict[str, Tensor] = field(default_factory=dict)
    _gradients: dict[str, list[weakref.ref[Tensor]]] = field(default_factory=dict)

    def note(self, name: str, tensor: Tensor) -> Tensor:
        self.recorder.register_tensor(name, tensor, recording_type="kpis")

        def add(gradient: Tensor) -> None:
            wide = gradient.detach().double()
            self.totals[name] = self.totals[name] + wide if name in self.totals else wide
            self._gradients.setdefault(name, []).append(weakref.ref(gradient))

        tensor.register_hook(add)
        return tensor

    def held(self) -> set[str]:
        return {name for name, gradients in self._gradients.items() if any(gradient() is not None for gradient in gradients)}


def leaf(scale: float = 1.0) -> Tensor:
    return (torch.randn(SHAPE) * scale).requires_grad_()


def check(record: Record, total: Tensor) -> None:
    """Compares the statistics of a record with those of a gradient in float64."""
    finite = total[total.isfinite()]
    assert record.counts == [int(total.isnan().sum()), int((total == torch.inf).sum()), int((total == -torch.inf).sum()), *zeros(total), 0]
    assert record.extrema == pytest.approx([finite.min().item(), finite.max().item()], rel=1e-6)
    if len(finite) < total.numel():
        return
    rows = total.flatten(1)
    expected = {
        "mean": rows.mean(1),
        "abs_mean": rows.abs().mean(1),
        "std": rows.std(1),
        "abs_max": rows.abs().amax(1),
    }
    for name, values in expected.items():
        # Over the batch: mean, largest magnitude, standard deviation. Then each sample.
        over_batch = [values.mean(), values.abs().max(), values.std()]
        close = pytest.approx([float(number) for number in (*over_batch, *values)], rel=2e-5, abs=1e-6 * float(rows.abs().max()))
        assert record.statistics[name] == close, name


def zeros(total: Tensor) -> list[int]:
    return [int((total == 0).sum())]


def check_all(recorder: ComgraRecorder, totals: dict[str, Tensor], group: str = "gradients") -> None:
    records = {name: record for (of, name, _), record in read_records(recorder).items() if of == group}
    assert set(records) == set(totals)
    for name, total in totals.items():
        check(records[name], total)


def plain(flow: Flow) -> None:
    hidden = flow.note("hidden", leaf() * leaf())
    for number in range(4):
        hidden = flow.note(f"relu {number}", (flow.note(f"product {number}", hidden * leaf())).relu())
    hidden.square().sum().backward()


def accumulation(flow: Flow) -> None:
    weight = leaf()
    for number in range(2):
        (flow.note(f"hidden {number}", weight * torch.randn(SHAPE)).square().sum() / 2).backward()


def two_losses(flow: Flow) -> None:
    hidden = flow.note("hidden", leaf() * leaf())
    first, second = flow.note("first", hidden.square()), flow.note("second", hidden.exp())
    first.square().sum().backward(retain_graph=True)
    second.square().sum().backward()


def a_shared_sum(flow: Flow) -> None:
    total = flow.note("sum", leaf() + leaf())
    flow.note("first", total * leaf()).square().sum().backward()
    flow.note("second", total * leaf()).square().sum().backward()


def sums_and_views(flow: Flow) -> None:
    total = flow.note("sum", leaf() * leaf() + leaf())
    view = flow.note("view", total.reshape(B, 100, 200))
    flow.note("mean of both", torch.stack([view, view.exp()]).mean(0)).square().sum().backward()


def some_leaves(flow: Flow) -> None:
    weight = leaf()
    hidden = flow.note("hidden", weight * leaf())
    flow.note("result", hidden.square()).sum().backward(inputs=[weight])


def gradients_asked_for(flow: Flow) -> None:
    weight = leaf()
    hidden = flow.note("hidden", weight * leaf())
    torch.autograd.grad(flow.note("result", hidden.square()).sin().sum(), weight)


def one_gradient_asked_for_before_a_pass(flow: Flow) -> None:
    hidden = flow.note("hidden", leaf() * leaf())
    result = flow.note("result", hidden.square())
    torch.autograd.grad(result.sin().sum(), result)
    result.exp().sum().backward()


def one_gradient_kept_before_a_pass(flow: Flow) -> None:
    hidden = flow.note("hidden", (leaf() * leaf()).sin())
    result = flow.note("result", hidden.square())
    result.sin().sum().backward(inputs=[hidden], retain_graph=True)
    result.exp().sum().backward()


def a_gradient_of_a_gradient(flow: Flow) -> None:
    x = leaf()
    hidden = flow.note("hidden", x * 3)
    (slope,) = torch.autograd.grad(hidden.square().sum(), x, create_graph=True)
    flow.note("slope", slope.square()).square().sum().backward()


def checkpointed(reentrant: bool) -> Callable[[Flow], None]:
    def run(flow: Flow) -> None:
        hidden = flow.note("hidden", leaf() * leaf())
        result: Tensor = checkpoint(lambda x: x.sin() * x, hidden, use_reentrant=reentrant)
        flow.note("block", result)
        flow.note("result", result.square()).sum().backward()

    return run


def what_a_reentrant_block_uses_besides(flow: Flow) -> None:
    besides = flow.note("besides", (leaf() * leaf()).sin())
    result: Tensor = checkpoint(lambda x: x * besides, leaf() * 1, use_reentrant=True)
    result.square().sum().backward()


def not_finite(value: float) -> Callable[[Flow], None]:
    def run(flow: Flow) -> None:
        factor = torch.randn(SHAPE)
        factor[1, 17] = value
        flow.note("result", flow.note("hidden", leaf() * leaf()) * leaf()).mul(factor).sum().backward()

    return run


def expanded(flow: Flow) -> None:
    flow.note("result", leaf().square()).sum().backward()


def transposed(flow: Flow) -> None:
    flow.note("hidden", leaf().square()).t().reshape(-1).mul(torch.randn(SHAPE[0] * SHAPE[1])).sum().backward()


class Doubled(torch.autograd.Function):
    """Saves what it does not need."""

    @staticmethod
    def forward(context: Any, x: Tensor) -> Tensor:  # noqa: ANN401
        context.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(context: object, gradient: Tensor) -> Tensor:  # noqa: ARG004
        return gradient * 2


def a_function_of_the_user(flow: Flow) -> None:
    result: Tensor = flow.note("result", Doubled.apply(leaf()))  # type: ignore[no-untyped-call]
    result.square().sum().backward()
    result.exp().sum().backward()


SITUATIONS: dict[str, tuple[Callable[[Flow], None], set[str]]] = {
    "plain": (plain, set()),
    "accumulation": (accumulation, set()),
    "two losses": (two_losses, {"hidden", "first"}),
    "a shared sum": (a_shared_sum, {"sum"}),
    "sums and views": (sums_and_views, set()),
    "some leaves": (some_leaves, set()),
    "gradients asked for": (gradients_asked_for, {"hidden"}),
    "one gradient asked for before a pass": (one_gradient_asked_for_before_a_pass, {"result"}),
    "one gradient kept before a pass": (one_gradient_kept_before_a_pass, {"hidden", "result"}),
    "a gradient of a gradient": (a_gradient_of_a_gradient, {"hidden"}),
    "a checkpoint": (checkpointed(False), set()),
    "a reentrant checkpoint": (checkpointed(True), {"block"}),
    "what a reentrant block uses besides": (what_a_reentrant_block_uses_besides, set()),
    "NaN": (not_finite(torch.nan), set()),
    "infinity": (not_finite(-torch.inf), set()),
    "expanded": (expanded, set()),
    "transposed": (transposed, set()),
    "a function of the user": (a_function_of_the_user, {"result"}),
}


@pytest.mark.parametrize("graph", ["data_flow", "autograd"])
@pytest.mark.parametrize("situation", SITUATIONS)
def test_their_numbers_are_those_of_what_has_flowed_and_they_are_held_where_more_may_come(
    make_recorder: MakeRecorder, situation: str, graph: str
) -> None:
    run, expected = SITUATIONS[situation]
    recorder = make_recorder(graph=graph)
    flow = Flow(recorder)
    with recorder.batch(0, B), recorder.iteration():
        run(flow)
        held = flow.held()
        recorder.record_current_gradients("gradients")
    assert held <= expected, "somebody has a gradient that is not needed any more"
    check_all(recorder, flow.totals)
    assert flow.held() == set()
    assert not read_gaps(recorder)


def test_they_are_gone_while_the_backward_pass_still_runs(recorder: ComgraRecorder) -> None:
    flow = Flow(recorder)
    with recorder.batch(0, B), recorder.iteration():
        first = leaf() * leaf()
        held: list[set[str]] = []
        first.register_hook(lambda _: held.append(flow.held()))
        hidden = first
        for number in range(3):
            hidden = flow.note(f"hidden {number}", hidden * leaf())
        hidden.square().sum().backward()
        recorder.record_current_gradients("gradients")
    assert held == [set()]
    held_bytes = open_recording(folder_of(recorder)).step(0).held_bytes
    assert held_bytes is not None
    assert held_bytes < SHAPE[0] * SHAPE[1] * 4, "not one gradient was held"
    check_all(recorder, flow.totals)


def test_recorded_twice_they_are_the_same_until_they_are_forgotten(recorder: ComgraRecorder) -> None:
    flow = Flow(recorder)
    with recorder.batch(0, B), recorder.iteration():
        plain(flow)
        recorder.record_current_gradients("one")
        recorder.record_current_gradients("two", set_gradients_to_zero_if_not_a_parameter=True)
        recorder.record_current_gradients("three")
    check_all(recorder, flow.totals, "one")
    check_all(recorder, flow.totals, "two")
    absent = [record.counts[4] for (group, _, _), record in read_records(recorder).items() if group == "three"]
    assert absent == [1] * len(flow.totals)


def with_only_a_bias(size: int) -> nn.Linear:
    """A layer whose bias alone is trained. It saves nothing, so that a second backward pass comes through."""
    layer = nn.Linear(2, size)
    layer.weight.requires_grad_(False)
    return layer


def test_after_those_before_are_forgotten_others_may_come(recorder: ComgraRecorder) -> None:
    flow = Flow(recorder)
    layer = with_only_a_bias(20_000)
    with recorder.batch(0, B), recorder.iteration():
        result = flow.note("result", layer(torch.randn(B, 2)))
        result.square().sum().backward()
        recorder.record_current_gradients("one", set_gradients_to_zero_if_not_a_parameter=True)
        first = flow.totals.pop("result")
        result.exp().sum().backward()
        recorder.record_current_gradients("two")
    check_all(recorder, {"result": first}, "one")
    check_all(recorder, flow.totals, "two")


def test_an_unexpected_second_gradient_is_a_gap(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    flow = Flow(recorder)
    layer = with_only_a_bias(20_000)
    with recorder.batch(0, B), recorder.iteration():
        result = flow.note("result", layer(torch.randn(B, 2)))
        result.square().sum().backward()
        result.exp().sum().backward()
        with pytest.warns(ComgraRecordingWarning, match=r"'result'.*another gradient came"):
            recorder.record_current_gradients("gradients")
    assert ("gradients", "result", 0) not in read_records(recorder)
    assert [(gap.group, gap.tensor) for gap in read_gaps(recorder)] == [("gradients", "result")]
    assert layer.bias.grad is not None
    assert torch.allclose(layer.bias.grad.double(), flow.totals["result"].sum(dim=0), rtol=1e-4, atol=1e-4), "training goes on"


def test_one_that_is_asked_for_by_name_after_a_pass_is_a_gap(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    flow = Flow(recorder)
    with recorder.batch(0, B), recorder.iteration():
        hidden = flow.note("hidden", leaf() * leaf())
        hidden.square().sum().backward()
        (asked_for,) = torch.autograd.grad(hidden.exp().sum(), hidden)
        assert torch.equal(asked_for, hidden.exp())
        with pytest.warns(ComgraRecordingWarning, match=r"'hidden'.*another gradient came"):
            recorder.record_current_gradients("gradients")
    assert ("gradients", "hidden", 0) not in read_records(recorder)


def test_a_hook_that_changes_a_gradient_later_does_not_matter(recorder: ComgraRecorder) -> None:
    flow = Flow(recorder)
    with recorder.batch(0, B), recorder.iteration():
        weight = leaf()
        hidden = flow.note("hidden", weight * 2)
        hidden.register_hook(lambda gradient: gradient.mul_(10))
        hidden.square().sum().backward()
        recorder.record_current_gradients("gradients")
    check_all(recorder, flow.totals)
    assert weight.grad is not None
    assert torch.allclose(weight.grad.double(), flow.totals["hidden"] * 20)


def test_a_loss_that_is_scaled_is_taken_out_of_them(recorder: ComgraRecorder) -> None:
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    recorder.track_grad_scaler(scaler)
    flow = Flow(recorder)
    with recorder.batch(0, B), recorder.iteration():
        hidden = flow.note("hidden", leaf() * leaf())
        scaler.scale(hidden.square().sum()).backward()
        recorder.record_current_gradients("gradients")
    check_all(recorder, {name: total / 1024 for name, total in flow.totals.items()})


def test_a_scaler_that_is_turned_off_does_not_matter(recorder: ComgraRecorder) -> None:
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    recorder.track_grad_scaler(scaler)
    flow = Flow(recorder)
    with recorder.batch(0, B), recorder.iteration():
        scaler.scale(flow.note("hidden", leaf() * leaf()).square().sum()).backward()
        assert flow.held() == set()
        recorder.record_current_gradients("gradients")
    check_all(recorder, flow.totals)


@pytest.mark.parametrize("is_recorded", [True, False])
def test_a_step_of_which_it_is_decided_later(make_recorder: MakeRecorder, is_recorded: bool) -> None:
    recorder = make_recorder(decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded([0] if is_recorded else [1]))
    flow = Flow(recorder)
    recorder.start_batch(0, B, type_of_execution=None)
    recorder.start_iteration()
    plain(flow)
    assert flow.held() == set(flow.totals)
    recorder.decide_recording_of_batch("train")
    recorder.record_current_gradients("gradients")
    recorder.finish_iteration()
    recorder.finish_batch()
    assert flow.held() == set()
    if is_recorded:
        check_all(recorder, flow.totals)


def test_a_step_that_is_recorded_for_what_came_up_in_it(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded(()), sentinels=True, strict=False)
    flow = Flow(recorder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComgraRecordingWarning)
        with recorder.batch(0, B), recorder.iteration():
            recorder.register_tensor("unusual", torch.full((B, 1), torch.nan), is_input=True)
            plain(flow)
            recorder.record_current_gradients("gradients")
    records = read_records(recorder)
    for name, total in flow.totals.items():
        check(records["gradients", name, 0], total)


def test_a_pass_in_another_thread(recorder: ComgraRecorder) -> None:
    flow = Flow(recorder)
    with recorder.batch(0, B), recorder.iteration():
        loss = flow.note("hidden", leaf() * leaf()).square().sum()
        thread = threading.Thread(target=loss.backward)
        thread.start()
        thread.join()
        assert flow.held() == {"hidden"}
        recorder.record_current_gradients("gradients")
    check_all(recorder, flow.totals)


def test_a_gradient_that_a_sum_passes_on_is_read_once(recorder: ComgraRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at, computed = [], set()
    look, add = Measurements.read, Measurements.add

    def count(self: Measurements, *arguments: Any) -> Any:  # noqa: ANN401
        looked_at.append(1)
        return look(self, *arguments)

    def note(self: Measurements, key: tuple[str, int], *arguments: Any, **named: Any) -> None:  # noqa: ANN401
        computed.add(key[0])
        add(self, key, *arguments, **named)

    monkeypatch.setattr(Measurements, "read", count)
    monkeypatch.setattr(Measurements, "add", note)
    flow = Flow(recorder)
    with recorder.batch(0, B), recorder.iteration():
        first, second = flow.note("first", leaf() * leaf()), flow.note("second", leaf().exp())
        flow.note("sum", first + second).square().sum().backward()
        recorder.record_current_gradients("gradients")
    assert len(looked_at) == 1
    assert "gradients" not in computed
    check_all(recorder, flow.totals)


def test_a_gradient_that_is_changed_on_its_way_to_another_tensor_is_read_again(recorder: ComgraRecorder) -> None:
    flow = Flow(recorder)
    with recorder.batch(0, B), recorder.iteration():
        first, second = flow.note("first", leaf() * leaf()), flow.note("second", leaf().exp())
        # What was computed last runs backwards first.
        second.register_hook(lambda gradient: gradient.mul_(10))
        (first + second).square().sum().backward()
        recorder.record_current_gradients("gradients")
    assert torch.allclose(flow.totals["first"], flow.totals["second"] * 10)
    check_all(recorder, flow.totals)


def test_one_that_is_wrong_since_what_its_twin_needed_has_changed_is_a_gap(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    with recorder.batch(0, B), recorder.iteration():
        x, factor = torch.randn(SHAPE), torch.randn(SHAPE)
        recorder.register_tensor("x", x, is_input=True, recording_type="kpis")
        hidden = x * 3
        recorder.register_tensor("hidden", hidden, recording_type="kpis")
        result = hidden * factor
        factor.mul_(2)
        (result * leaf()).sum().backward()
        with pytest.warns(ComgraRecordingWarning, match="changed in place before the backward pass"):
            recorder.record_current_gradients("gradients")
    assert read_records(recorder)["gradients", "hidden", 0].counts[4] == 1
    assert {gap.tensor for gap in read_gaps(recorder)} == {"x", "hidden"}


def test_other_kinds_of_records_are_held(recorder: ComgraRecorder) -> None:
    with recorder.batch(0, B), recorder.iteration():
        values = leaf() * leaf()
        recorder.register_tensor("values", values)
        wide = leaf().double() * 2
        recorder.register_tensor("wide", wide, recording_type="kpis")
        small = values[:, :3] * 2
        recorder.register_tensor("small", small, recording_type="kpis")
        (values.square().sum() + small.sum() + wide.square().sum()).backward()
        recorder.record_current_gradients("gradients")
    records = read_records(recorder)
    wide = 2 * wide.detach()
    expected = 2 * values.detach()
    expected[:, :3] += 2
    assert np.array_equal(records["gradients", "values", 0].values, expected.numpy().ravel())
    assert records["gradients", "wide", 0].extrema == [float(wide.min()), float(wide.max())]
    assert records["gradients", "small", 0].extrema == [1, 1]


class Block(nn.Module):
    """A residual block with what saves tensors and what saves none."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels)
        self.activation = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.activation(x + self.norm(self.convolution(x)))
        return result


def record_watched(recorder: ComgraRecorder) -> dict[Any, Any]:
    torch.manual_seed(1)
    network = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), Block(8), Block(8), nn.Conv2d(8, 3, 1))
    recorder.watch(network, "net")
    with recorder.batch(0, B), recorder.iteration():
        network(torch.randn(B, 3, 64, 64)).square().mean().backward()
        recorder.record_current_gradients("gradients")
    recording = open_recording(folder_of(recorder))
    assert not read_gaps(recorder)
    arrays = {name: blob.data.tobytes() for name, blob in recording.blobs(0).items()}
    return {"arrays": arrays, "layout": recording.step(0).layout, "calls": recording.step(0).calls, "held": recording.step(0).held_bytes}


def test_watched_modules_have_the_same_numbers_as_if_all_were_held(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = record_watched(make_recorder())
    monkeypatch.setattr(inline_statistics, "is_last_gradient", lambda: False)
    monkeypatch.setattr("comgra_export.recorder.tracing.operations.frees_graph", lambda *_: False)
    expected = record_watched(make_recorder())
    # Each block has gradients of its result, of the sum, of the convolution's result and of the convolution's input.
    # The ninth gradient is that of the first block's input.
    assert expected.pop("held") - recorded.pop("held") == 9 * B * 8 * 64 * 64 * 4
    assert recorded == expected


def test_without_what_torch_tells_of_a_pass_all_are_held(recorder: ComgraRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autograd, "keeps_graph", None)
    flow = Flow(recorder)
    with recorder.batch(0, B), recorder.iteration():
        plain(flow)
        assert flow.held() == set(flow.totals)
        recorder.record_current_gradients("gradients")
    check_all(recorder, flow.totals)


def test_a_later_part_of_a_gradient_that_was_not_summed_call_by_call_is_a_gap(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    layer = with_only_a_bias(2)
    first, second = nn.Linear(2, 1), nn.Linear(2, 1)
    network = nn.ModuleDict({"a": first, "b": second})
    recorder.watch(network, "net")
    with recorder.batch(0, B), recorder.iteration():
        hidden = layer(torch.ones(B, 2))
        first(hidden).sum().backward()
        recorder.record_current_gradients("whole")
        second(hidden).sum().backward()
        recorder.record_current_gradients("sum", set_gradients_to_zero_if_not_a_parameter=True)
        first(hidden).sum().backward()
        recorder.record_current_gradients("later")
    records = read_records(recorder)
    names = {group: {name for of, name, _ in records if of == group and "gradient of" in name} for group in ("whole", "sum", "later")}
    a, b, again = (f"net.{name}: gradient of input" for name in ("a", "b", "a (call 2)"))
    assert names == {"whole": set(), "sum": {b}, "later": {a, b, again}}
    assert [records["later", name, 0].counts[4] for name in (a, b, again)] == [1, 1, 0]
    assert records["sum", b, 0].statistics["mean"][0] == pytest.approx(float(second.weight.detach().mean()))
    total = records["sum", "net.a: input", 0].statistics["mean"][0]
    assert total == pytest.approx(float((first.weight + second.weight).detach().mean()))
    (gap,) = read_gaps(recorder)
    assert (gap.tensor, "through this call alone is not known" in gap.reason) == (a, True)


class Twice(nn.Module):
    """Computes from its input in two ways."""

    def forward(self, x: Tensor) -> Tensor:
        return x.sin() + x.exp()


class Around(nn.Module):
    """Computes from its input itself, too."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = Twice()

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.inner(x) * x
        return result


def test_parts_that_several_operations_return_are_summed(recorder: ComgraRecorder) -> None:
    network = nn.ModuleDict({"around": Around(), "tanh": nn.Tanh(), "twice": Twice()})
    recorder.watch(network, "net")
    with recorder.batch(0, B), recorder.iteration():
        hidden = leaf() * leaf()
        (network["around"](hidden) * network["tanh"](hidden) + network["twice"](hidden)).sum().backward()
        recorder.record_current_gradients("gradients")
    x = hidden.detach().double()
    twice, slope, tanh = x.sin() + x.exp(), x.cos() + x.exp(), x.tanh()
    expected = {
        "around": tanh * (slope * x + twice),
        "around.inner": tanh * x * slope,
        "tanh": twice * x * (1 - tanh.square()),
        "twice": slope,
    }
    records = {name: record for (_, name, _), record in read_records(recorder).items() if "gradient of" in name}
    assert set(records) == {f"net.{name}: gradient of {'input' if name == 'tanh' else 'input x'}" for name in expected}
    for name, total in expected.items():
        record = next(record for of, record in records.items() if of.startswith(f"net.{name}:"))
        assert record.extrema == pytest.approx([total.min().item(), total.max().item()], rel=1e-4)
        assert record.statistics["abs_mean"][0] == pytest.approx(total.abs().mean().item(), rel=1e-4)


@pytest.mark.parametrize("is_registered", [False, True])
def test_a_part_of_a_gradient_is_a_gap_if_the_tensor_is_registered_differently_later(
    make_recorder: MakeRecorder, is_registered: bool
) -> None:
    recorder = make_recorder(strict=False)
    network = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})
    recorder.watch(network, "net")
    with recorder.batch(0, B), recorder.iteration():
        hidden = leaf().exp()
        (network["a"](hidden) * network["b"](hidden)).sum().backward()
        if is_registered:
            recorder.register_tensor("hidden", hidden, index_of_batch_dimension=None, recording_type="kpis")
        with pytest.warns(ComgraRecordingWarning, match="another way") if is_registered else nullcontext():
            recorder.record_current_gradients("gradients")
    records = read_records(recorder)
    parts = {name for _, name, _ in records if "gradient of" in name}
    assert parts == (set() if is_registered else {f"net.{name}: gradient of input" for name in "ab"})
    if not is_registered:
        check(records["gradients", "net.a: gradient of input", 0], hidden.detach().double().tanh())


def test_nothing_is_left_behind(recorder: ComgraRecorder) -> None:
    gc.collect()
    gc.disable()
    try:
        flow = Flow(recorder)
        with recorder.batch(0, B), recorder.iteration():
            hidden = flow.note("hidden", leaf() * leaf())
            result = hidden.relu()
            recorder.register_tensor("result", result, recording_type="kpis")
            functional.mse_loss(result, torch.zeros(SHAPE)).backward()
            recorder.record_current_gradients("gradients")
        tensors = [weakref.ref(hidden), weakref.ref(result)]
        del hidden, result
        assert [tensor() for tensor in tensors] == [None, None]
        assert flow.held() == set()
    finally:
        gc.enable()


def test_a_gradient_that_is_a_gap_keeps_nothing_alive(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    gc.disable()
    try:
        kept = record_a_gradient_after_the_last_one(recorder)
        assert kept() is None
    finally:
        gc.enable()
    assert [gap.tensor for gap in read_gaps(recorder)] == ["hidden"]


def record_a_gradient_after_the_last_one(recorder: ComgraRecorder) -> weakref.ref[Tensor]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComgraRecordingWarning)
        with recorder.batch(0, B), recorder.iteration():
            hidden = leaf() * leaf()
            recorder.register_tensor("hidden", hidden, recording_type="kpis")
            hidden.square().sum().backward()
            torch.autograd.grad(hidden.exp().sum(), hidden)
            recorder.record_current_gradients("gradients")
        recorder.finalize()
    return weakref.ref(hidden)
