"""Statistics taken during backward of gradients that several tensors share, or that change on their way."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder, ComgraRecordingWarning
from comgra_export.recorder.gradients import inline_statistics
from comgra_export.recorder.host import autograd
from comgra_export.recorder.numbers.collector import Measurements
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.gradient_flows import SHAPE, B, Flow, check, check_all, leaf, plain, with_only_a_bias
from support.recorder.reading import folder_of, read_gaps, read_records


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
