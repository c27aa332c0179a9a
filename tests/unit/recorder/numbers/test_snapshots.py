"""Changes of parameters in a step, against the same in double precision."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder, ComgraRecordingWarning
from comgra_export.recorder.numbers import snapshots
from comgra_export.recorder.numbers.buffers import SnapshotMemory
from comgra_export.recorder.numbers.snapshots import ParameterSnapshots
from comgra_export.storage import open_recording
from comgra_export.storage.model.step_description import ParameterFacts
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_gaps, read_records

pytestmark = pytest.mark.usefixtures("way")

Change = Callable[[Tensor], Tensor]

VALUES: dict[str, Tensor] = {
    "usual": torch.linspace(-3, 5, 50).view(5, 10),
    "more than a piece": torch.linspace(-1, 1, 2500).view(50, 50),
    "exactly a piece": torch.linspace(-1, 1, 1024),
    "number": torch.tensor(4.0),
    "empty": torch.zeros(0, 3),
    "huge": torch.full((3,), 3e37),
    "tiny": torch.full((2000,), 1e-30),
    "bf16": torch.linspace(-3, 5, 50).bfloat16(),
    "f16": torch.full((3000,), 300.0).half(),
    "f64": torch.tensor([1e300, 2e300], dtype=torch.float64),
    "transposed": torch.linspace(-3, 5, 50).view(5, 10).t(),
}


def parameters_of(values: dict[str, Tensor]) -> dict[int, nn.Parameter]:
    # Positions need not be those of a list.
    return {position * 2: nn.Parameter(value.clone()) for position, value in enumerate(values.values())}


def facts_after(parameters: dict[int, nn.Parameter], change: Callable[[], object]) -> ParameterFacts:
    taken = ParameterSnapshots(parameters, SnapshotMemory())
    change()
    norms, pending = taken.finish(parameters)
    return pending.put_together(norms, {})


def norm(values: Tensor) -> float:
    return math.hypot(*values.detach().double().reshape(-1).tolist())


def test_norms_of_every_kind_of_parameter() -> None:
    parameters = parameters_of(VALUES)
    before = {position: parameter.detach().clone() for position, parameter in parameters.items()}

    def train() -> None:
        with torch.no_grad():
            for parameter in parameters.values():
                parameter.mul_(0.75)

    facts = facts_after(parameters, train)
    assert facts.parameters == tuple(parameters)
    for name, position, recorded_norm, change in zip(VALUES, facts.parameters, facts.norm, facts.update_norm, strict=True):
        assert recorded_norm == pytest.approx(norm(before[position]), rel=1e-6, abs=0), name
        difference = parameters[position].detach().double() - before[position].double()
        assert change == pytest.approx(norm(difference), rel=1e-6, abs=0), name


def test_a_parameter_that_is_not_changed_has_an_update_of_zero() -> None:
    parameters = parameters_of(VALUES)
    assert set(facts_after(parameters, lambda: None).update_norm) == {0.0}


def test_what_is_not_finite_spreads_to_its_own_norms_only() -> None:
    parameters = parameters_of({"nan": torch.tensor([1, math.nan]), "inf": torch.tensor([1, math.inf]), "usual": torch.ones(4)})
    facts = facts_after(parameters, lambda: None)
    assert facts.norm == pytest.approx([math.nan, math.inf, 2], nan_ok=True)
    assert facts.update_norm == pytest.approx([math.nan, math.nan, 0], nan_ok=True)


def resize(parameters: dict[int, nn.Parameter]) -> None:
    parameters[0].data = torch.zeros(7)


def replace(parameters: dict[int, nn.Parameter]) -> None:
    parameters[0] = nn.Parameter(torch.zeros(5, 10))


def remove(parameters: dict[int, nn.Parameter]) -> None:
    del parameters[0]


def widen(parameters: dict[int, nn.Parameter]) -> None:
    parameters[0].data = parameters[0].data.double()


@pytest.mark.parametrize("change", [resize, replace, remove, widen])
def test_a_parameter_that_is_another_one_now_has_no_update(change: Callable[[dict[int, nn.Parameter]], None]) -> None:
    parameters = parameters_of({"first": torch.ones(5, 10), "second": torch.ones(4)})
    taken = ParameterSnapshots(parameters, SnapshotMemory())
    change(parameters)
    norms, pending = taken.finish(parameters)
    facts = pending.put_together(norms, {})
    assert facts.norm == pytest.approx([math.sqrt(50), 2])
    assert facts.update_norm == pytest.approx([math.nan, 0], nan_ok=True)
    assert list(pending.missing) == [0]


def test_memory_is_used_again() -> None:
    memory, parameters = SnapshotMemory(), parameters_of({"x": torch.ones(5)})
    addresses = set()
    for value in (1.0, 2.0):
        parameters[0].data.fill_(value)
        taken = ParameterSnapshots(parameters, memory)
        values = taken.values(0)
        assert values is not None
        assert values.tolist() == [value] * 5
        addresses.add(values.data_ptr())
        taken.finish(parameters)
        assert values.tolist() == [value] * 5
        taken.give_back()
    assert len(addresses) == 1


def test_memory_of_parameters_that_have_changed_their_shapes_since() -> None:
    memory = SnapshotMemory()
    for shapes in ((2000, 5), (1500, 3), (5, 2000), (1500, 3)):
        parameters = parameters_of({str(size): torch.full((size,), 2.0) for size in shapes})
        taken = ParameterSnapshots(parameters, memory)
        for parameter in parameters.values():
            parameter.data.add_(1)
        norms, pending = taken.finish(parameters)
        facts = pending.put_together(norms, {})
        assert facts.norm == pytest.approx([2 * math.sqrt(size) for size in shapes])
        assert facts.update_norm == pytest.approx([math.sqrt(size) for size in shapes])
        taken.give_back()


def test_memory_that_somebody_still_needs_is_not_used_again() -> None:
    memory, parameters = SnapshotMemory(), parameters_of({"x": torch.ones(5)})
    first = ParameterSnapshots(parameters, memory)
    first.finish(parameters)
    parameters[0].data.fill_(2)
    second = ParameterSnapshots(parameters, memory)
    values = [taken.values(0) for taken in (first, second)]
    assert [None if value is None else value.tolist() for value in values] == [[1.0] * 5, [2.0] * 5]


def leave_room_for(monkeypatch: pytest.MonkeyPatch, values: int) -> None:
    """Leaves room for so many float32 values in samples, and for no more without."""
    monkeypatch.setattr(snapshots, "SNAPSHOT_BYTES", 4 * values)
    monkeypatch.setattr(snapshots, "SAMPLE_BYTES", 4 * values)


def test_what_there_is_no_room_for_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    leave_room_for(monkeypatch, 2 * 1024)
    parameters = parameters_of({"a": torch.ones(1024), "b": torch.ones(3000), "c": torch.ones(1024)})
    taken = ParameterSnapshots(parameters, SnapshotMemory())
    assert taken.bytes == 2 * 4096
    assert taken.values(2) is None
    norms, pending = taken.finish(parameters)
    facts = pending.put_together(norms, {})
    assert facts.parameters == (0, 2)
    # Every seventh: smaller numbers from the third on divide 3000, or do when one is added.
    assert facts.estimated == ((2, 429, None),)
    assert facts.norm == pytest.approx([32, math.sqrt(3000)])
    assert list(pending.missing) == [4]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("is_transposed", [False, True])
def test_norms_of_a_large_parameter_are_estimated_from_a_sample(
    dtype: torch.dtype, is_transposed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_room_for(monkeypatch, (20_000 if dtype == torch.float32 else 40_000 if dtype == torch.float64 else 10_000))
    large = torch.randn(300, 700).to(dtype)
    parameters = parameters_of({"small": torch.ones(4, dtype=dtype), "large": large.t() if is_transposed else large})
    before = parameters[2].detach().double().clone()
    change = torch.randn(before.shape).to(dtype)
    facts = facts_after(parameters, lambda: parameters[2].data.add_(change))
    update = norm(parameters[2].double() - before)
    # 16,384 of 210,000 are every 13th: 13 has no divisor in common with 300 or 700.
    (estimate,) = facts.estimated
    assert estimate[:2] == (2, 16154)
    # The square of a normally distributed number varies by the root of 2, relative to its mean. A norm varies by half as much.
    expected = math.sqrt(2 / 16154 * (1 - 1 / 13)) / 2
    assert estimate.error == pytest.approx(expected, rel=0.5)
    assert facts.update_norm[1] == pytest.approx(update, rel=4 * expected)
    assert facts.norm[1] == pytest.approx(norm(before), rel=4 * expected)
    assert facts.update_norm[0] == 0
    assert facts.norm[0] == 2


def test_a_change_that_the_sample_misses_has_a_norm_of_zero_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    leave_room_for(monkeypatch, 4096)
    parameters = parameters_of({"large": torch.ones(10_007)})
    facts = facts_after(parameters, lambda: parameters[0].data[1].add_(5))
    # Every third of a prime number.
    assert facts.estimated == ((0, 3336, None),)
    assert facts.update_norm == (0,)
    changed = facts_after(parameters, lambda: parameters[0].data[3].add_(5))
    assert changed.update_norm == pytest.approx([5 * math.sqrt(10_007 / 3336)])
    # All of it is in one of three whole pieces: the squares are 1, 0 and 0, their mean 1/3 and their deviation the root of 1/3.
    assert changed.estimated[0].error == pytest.approx(math.sqrt(3) / 2 * math.sqrt((1 - 3336 / 10_007) / 3))


def train(recorder: ComgraRecorder, network: nn.Module, between: Callable[[], object] = lambda: None) -> None:
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    x = torch.randn(4, 3)
    with recorder.batch(0, 4), recorder.iteration():
        loss = network(x).square().mean()
        recorder.register_tensor("loss", loss, is_loss=True)
        loss.backward()
        recorder.record_current_gradients("gradients")
        optimizer.step()
        between()
    recorder.finalize()


def test_a_recording_has_the_norms_and_the_values_before_the_step(recorder: ComgraRecorder) -> None:
    network = nn.Linear(3, 2)
    network.bias.requires_grad_(False)
    recorder.track_module("net", network)
    before = [parameter.detach().clone() for parameter in network.parameters()]
    train(recorder, network)
    recording = open_recording(folder_of(recorder))
    facts = recording.step(0).parameters
    assert facts is not None
    assert facts.parameters == (0, 1)
    assert facts.norm == pytest.approx([norm(value) for value in before], rel=1e-6)
    assert facts.update_norm == pytest.approx([norm(network.weight - before[0]), 0], rel=1e-6)
    held = recording.step(0).held_bytes
    assert held is not None
    assert held > 0
    weight = read_records(recorder)["forward", "net.weight", -1]
    assert weight.extrema == [before[0].min().item(), before[0].max().item()]


def test_a_recording_says_which_norms_are_estimates(recorder: ComgraRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_room_for(monkeypatch, 3 * 1024)
    network = nn.Linear(3, 2000)
    recorder.track_module("net", network)
    weight = network.weight.detach().clone()
    train(recorder, network)
    recording = open_recording(folder_of(recorder))
    facts = recording.step(0).parameters
    assert facts is not None
    # 7 of 6,000 and 3 of 2,000 are the strides.
    assert [estimate[:2] for estimate in facts.estimated] == [(0, 858), (1, 667)]
    sample = (network.weight - weight).detach().view(-1)[::7]
    assert facts.update_norm[0] == pytest.approx(norm(sample) * math.sqrt(6000 / 858), rel=1e-5)
    # Its own numbers are exact.
    assert read_records(recorder)["forward", "net.weight", -1].extrema == [weight.min().item(), weight.max().item()]


def test_a_parameter_replaced_during_a_step_is_a_gap(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    network = nn.Linear(3, 2)
    recorder.track_module("net", network)
    with pytest.warns(ComgraRecordingWarning, match=r"'net.weight'.*replaced"):
        train(recorder, network, lambda: setattr(network, "weight", nn.Parameter(torch.zeros(2, 3))))
    assert [gap.tensor for gap in read_gaps(recorder)] == ["net.weight"]
    facts = open_recording(folder_of(recorder)).step(0).parameters
    assert facts is not None
    assert math.isnan(facts.update_norm[0])


def test_nothing_waits_for_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    # Code that needs a value of a meta tensor raises here, and would wait on a device.
    monkeypatch.setattr(snapshots, "why_not_recordable", lambda _: None)
    parameters = {
        index: nn.Parameter(torch.zeros(30, 50, dtype=dtype, device="meta")) for index, dtype in enumerate((torch.float32, torch.bfloat16))
    }
    taken = ParameterSnapshots(parameters, SnapshotMemory())
    norms, _ = taken.finish(parameters)
    assert [value.device.type for value in norms] == ["meta", "meta"]


class CopiedAlone(Tensor):
    """Holds another tensor, and cannot be copied together with others."""

    held: Tensor

    @staticmethod
    def __new__(cls: type[CopiedAlone], held: Tensor) -> CopiedAlone:
        made: CopiedAlone = Tensor._make_wrapper_subclass(cls, held.shape, dtype=held.dtype, device=held.device)
        made.held = held
        return made

    @classmethod
    def __torch_dispatch__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # type: ignore[override]  # noqa: ANN401
        if function is torch.ops.aten.detach.default:
            return cls(args[0].held)
        if function is torch.ops.aten.copy_.default:
            return function(args[0], args[1].held)
        raise NotImplementedError(function)


def test_a_tensor_that_cannot_be_copied_together_with_others_takes_nothing_from_them() -> None:
    own = nn.Parameter(CopiedAlone(torch.tensor([1.0, 2.0])), requires_grad=False)
    taken = ParameterSnapshots({0: nn.Parameter(torch.full((3,), 4.0)), 1: own}, SnapshotMemory())
    copies = [taken.values(position) for position in (0, 1)]
    assert [None if copy is None else copy.tolist() for copy in copies] == [[4, 4, 4], [1, 2]]
