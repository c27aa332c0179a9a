"""Recorded gradients, against torch.autograd.grad."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder, ComgraRecordingWarning
from comgra_export.recorder.gradients import sums
from comgra_export.recorder.tracing import twins
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import Record, folder_of, read_edges, read_edges_without_gradient, read_gaps, read_records

B = 4


def values_of(record: Record, shape: torch.Size) -> Tensor:
    return torch.from_numpy(record.values.astype(np.float64)).reshape(shape)


def gradient_means(recorder: ComgraRecorder, group: str) -> dict[str, float]:
    return {
        name: record.statistics["mean"][0] for (name_of_group, name, _), record in read_records(recorder).items() if name_of_group == group
    }


def test_gradients_of_all_sorts_of_tensors(recorder: ComgraRecorder) -> None:
    network = nn.Linear(3, 2)
    recorder.track_module("net", network)
    x, own = torch.randn(B, 3), torch.randn(B, 2, requires_grad=True)

    def forward() -> dict[str, Tensor]:
        recorder.register_tensor("x", x, is_input=True)
        h = network(x)
        recorder.register_tensor("h", h)
        recorder.register_tensor("own", own)
        left, right = (h * own).chunk(2, dim=1)
        recorder.register_tensor("right", right)
        second = torch.stack([left[:, 0], right[:, 0]])
        recorder.register_tensor("batch second", second, index_of_batch_dimension=1)
        loss = (second**3).sum()
        recorder.register_tensor("loss", loss, is_loss=True)
        return {"x": x, "h": h, "own": own, "right": right, "batch second": second, "net.weight": network.weight, "loss": loss}

    x.requires_grad_(True)
    tensors = forward()
    expected = dict(zip(tensors, torch.autograd.grad(tensors["loss"], list(tensors.values())), strict=True))
    x.requires_grad_(False)
    with recorder.batch(0, B), recorder.iteration():
        forward()["loss"].backward()
        recorder.record_current_gradients("gradients")
    records = {name: record for (group, name, _), record in read_records(recorder).items() if group == "gradients"}
    for name in ("x", "h", "own", "right"):
        assert torch.allclose(values_of(records[name], tensors[name].shape), expected[name].double(), rtol=1e-6), name
    assert torch.allclose(values_of(records["batch second"], torch.Size([B, 2])), expected["batch second"].t().double(), rtol=1e-6)
    assert records["net.weight"].statistics["abs_max"] == [expected["net.weight"].abs().max().item()]
    assert records["loss"].statistics["single_value"] == [1]
    assert all(record.counts[4] == 0 for record in records.values())


def test_an_absent_gradient_differs_from_a_zero_gradient(recorder: ComgraRecorder) -> None:
    network = nn.ModuleDict({"used": nn.Linear(1, 1), "frozen": nn.Linear(1, 1), "unused": nn.Linear(1, 1)})
    network["frozen"].requires_grad_(False)
    recorder.track_module("net", network)
    with recorder.batch(0, B), recorder.iteration():
        x = torch.zeros(B, 1)
        recorder.register_tensor("x", x)
        recorder.register_tensor("whole numbers", torch.ones(B, 3, dtype=torch.int64))
        recorder.register_tensor("empty", torch.ones(B, 0))
        y = network["used"](network["frozen"](x)) * 0
        recorder.register_tensor("aside", x * 2)
        y.sum().backward()
        recorder.record_current_gradients("gradients")
    records = {name: record for (group, name, _), record in read_records(recorder).items() if group == "gradients"}
    absent = {name for name, record in records.items() if record.counts[4] == 1}
    assert absent == {"whole numbers", "empty", "aside", "net.frozen.weight", "net.frozen.bias", "net.unused.weight", "net.unused.bias"}
    for name, count in (("whole numbers", 12), ("aside", B), ("x", B), ("net.unused.weight", 1), ("net.used.weight", 1)):
        assert records[name].counts[:4] == [0, 0, 0, count], name
        assert records[name].extrema == [0, 0], name
        assert set(records[name].statistics["std"]) == {0}, name
    assert np.isnan(records["empty"].statistics["mean"]).all()
    assert not network["frozen"].weight.requires_grad


def test_several_backward_passes_add_up(recorder: ComgraRecorder) -> None:
    x = torch.ones(B, 1)
    weight = nn.Parameter(torch.ones(1, 1))
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x)
        recorder.register_tensor("weight", weight, is_parameter=True)
        h = x @ weight
        recorder.register_tensor("h", h)
        (h * 2).sum().backward(retain_graph=True)
        recorder.record_current_gradients("one")
        (h * 3).sum().backward(retain_graph=True)
        recorder.record_current_gradients("both", set_gradients_to_zero_if_not_a_parameter=True)
        recorder.record_current_gradients("none")
        (h * 7).sum().backward()
        recorder.record_current_gradients("last")
    assert {group: gradient_means(recorder, group)["h"] for group in ("one", "both", "none", "last")} == {
        "one": 2,
        "both": 5,
        "none": 0,
        "last": 7,
    }
    assert [gradient_means(recorder, group)["x"] for group in ("one", "both", "none", "last")] == [2, 5, 0, 7]
    # Parameters keep theirs.
    assert [gradient_means(recorder, group)["weight"] for group in ("one", "both", "none", "last")] == [8, 20, 20, 48]
    assert weight.grad is not None
    assert weight.grad.item() == 48


def test_the_gradient_is_that_of_the_value_as_it_was_registered(recorder: ComgraRecorder) -> None:
    x, weight = torch.ones(B, 1), torch.ones(1, requires_grad=True)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x)
        h = x * weight
        recorder.register_tensor("before", h)
        h.mul_(3)
        recorder.register_tensor("after", h)
        (h * 2).sum().backward()
        recorder.record_current_gradients("gradients")
    assert gradient_means(recorder, "gradients") == {"x": 6, "before": 6, "after": 2}


def test_recorded_gradients_do_not_change_with_what_happens_to_them_later(recorder: ComgraRecorder) -> None:
    weight = nn.Parameter(torch.ones(2, 30_000))
    small = nn.Parameter(torch.ones(2))
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("large", weight, is_parameter=True)
        recorder.register_tensor("small", small, is_parameter=True)
        (weight.sum() + small.sum()).backward()
        recorder.record_current_gradients("gradients")
        for parameter in (weight, small):
            assert parameter.grad is not None
            parameter.grad.mul_(100)
    assert gradient_means(recorder, "gradients") == {"large": 1, "small": 1}


def test_gradients_of_earlier_iterations(recorder: ComgraRecorder) -> None:
    value, weight = torch.ones(B, 1), torch.ones(1, requires_grad=True)
    with recorder.batch(0, B):
        for _ in range(3):
            with recorder.iteration():
                recorder.register_tensor("value", value)
                value = value * 2
        (value * weight).sum().backward()
        recorder.record_current_gradients("gradients")
    records = read_records(recorder)
    assert [records["gradients", "value", iteration].statistics["mean"][0] for iteration in range(3)] == [8, 4, 2]


def test_a_sparse_gradient_is_recorded_as_a_dense_one(recorder: ComgraRecorder) -> None:
    embedding = nn.Embedding(4, 2, sparse=True)
    recorder.track_module("embedding", embedding)
    with recorder.batch(0, 2), recorder.iteration():
        embedding(torch.tensor([1, 3])).sum().backward()
        recorder.record_current_gradients("gradients")
    assert gradient_means(recorder, "gradients") == {"embedding.weight": 0.5}


def test_gradients_with_a_graph_of_their_own(recorder: ComgraRecorder) -> None:
    x = torch.ones(B, 1, requires_grad=True)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x)
        h = x * 3
        recorder.register_tensor("h", h)
        (slope,) = torch.autograd.grad((h**2).sum(), x, create_graph=True)
        (slope**2).sum().backward()
        recorder.record_current_gradients("gradients")
    # The first pass brings 2 h = 6. The slope is 6 h, so the second one brings the derivative of (6 h)^2, which is 72 h = 216.
    assert gradient_means(recorder, "gradients")["h"] == 222


@pytest.mark.parametrize("options", [{"request_input_gradients": False}, {"graph": "autograd"}])
def test_without_requesting_gradients_those_of_inputs_are_gaps(make_recorder: MakeRecorder, options: dict[str, Any]) -> None:
    recorder = make_recorder(strict=False, **options)
    x = torch.ones(B, 1)
    weight = torch.ones(1, 1, requires_grad=True)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x)
        y = x @ weight
        recorder.register_tensor("y", y)
        y.sum().backward()
        with pytest.warns(ComgraRecordingWarning, match="'x'.*not asked for"):
            recorder.record_current_gradients("gradients")
    # Without a twin no gradient flows from x, which autograd therefore does not know.
    assert read_edges(recorder) == read_edges_without_gradient(recorder) == (set() if "graph" in options else {("x", "y")})
    assert [record.counts[4] for (group, _, _), record in read_records(recorder).items() if group == "gradients"] == [1, 0]
    assert [(gap.group, gap.tensor) for gap in read_gaps(recorder)] == [("gradients", "x")]


class InPlace(torch.autograd.Function):
    @staticmethod
    def forward(context: object, x: Tensor) -> Tensor:  # noqa: ARG004
        return x.clone()

    @staticmethod
    def backward(context: object, gradient: Tensor) -> Tensor:  # noqa: ARG004
        return gradient.mul_(-5)


def backward_in_place(recorder: ComgraRecorder, values: int) -> None:
    with recorder.batch(0, B), recorder.iteration():
        h = torch.ones(B, values, requires_grad=True) * 1
        y: Tensor = InPlace.apply(h)  # type: ignore[no-untyped-call]
        recorder.register_tensor("y", y)
        (y * torch.ones(B, values)).sum().backward()
        recorder.record_current_gradients("gradients")


def test_a_backward_function_that_works_in_place(make_recorder: MakeRecorder) -> None:
    small, large = make_recorder(), make_recorder(strict=False)
    backward_in_place(small, 3)
    assert gradient_means(small, "gradients") == {"y": 1}
    # A large gradient is not copied; that it has changed is noticed.
    with pytest.warns(ComgraRecordingWarning, match=r"'y'.*in place"):
        backward_in_place(large, 30_000)
    assert gradient_means(large, "gradients") == {}
    assert [(gap.group, gap.tensor) for gap in read_gaps(large)] == [("gradients", "y")]


def test_a_parameter_keeps_its_gradient_whatever_it_is_registered_as(recorder: ComgraRecorder) -> None:
    parameter = nn.Parameter(torch.ones(B, 1))
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("trained input", parameter, is_input=True)
        (parameter * 3).sum().backward()
        recorder.record_current_gradients("gradients", set_gradients_to_zero_if_not_a_parameter=True)
    assert gradient_means(recorder, "gradients") == {"trained input": 3}
    assert parameter.grad is not None
    assert set(parameter.grad.reshape(-1).tolist()) == {3}


def test_hooks_count_that_came_before_the_registration(recorder: ComgraRecorder) -> None:
    with recorder.batch(0, B), recorder.iteration():
        h = torch.ones(B, 1, requires_grad=True) * 1
        h.register_hook(lambda gradient: gradient * 10)
        recorder.register_tensor("h", h)
        h.register_hook(lambda gradient: gradient * 100)
        h.sum().backward()
        recorder.record_current_gradients("gradients")
    assert gradient_means(recorder, "gradients") == {"h": 10}


def test_gradients_that_are_asked_for_by_name_count(recorder: ComgraRecorder) -> None:
    with recorder.batch(0, B), recorder.iteration():
        h = torch.ones(B, 1, requires_grad=True) * 1
        recorder.register_tensor("h", h)
        torch.autograd.grad((h * 7).sum(), h)
        recorder.record_current_gradients("gradients")
    assert gradient_means(recorder, "gradients") == {"h": 7}


def held_bytes_of(recorder: ComgraRecorder, size: int, *, backward: bool = True, record: bool = True, clear: bool = False) -> int:
    """The held bytes that a step reports if it registers two results and an input of `size` values each and runs backwards twice."""
    with recorder.batch(0, 1), recorder.iteration():
        x = torch.ones(1, size)
        recorder.register_tensor("x", x, is_input=True, recording_type="kpis")
        first = x * torch.ones(1, size, requires_grad=True)
        second = first * 2
        recorder.register_tensor("first", first, recording_type="kpis")
        recorder.register_tensor("second", second, recording_type="kpis")
        for _ in range(2 if backward else 0):
            second.backward(torch.ones(1, size), retain_graph=True)
            if record:
                recorder.record_current_gradients(f"gradients {_}", set_gradients_to_zero_if_not_a_parameter=clear)
    held = open_recording(folder_of(recorder)).step(0).held_bytes
    assert held is not None
    return held


@pytest.mark.parametrize("size", [5, 100_000])
def test_gradients_count_as_held_whether_they_are_copied_or_not(make_recorder: MakeRecorder, size: int) -> None:
    without, with_gradients = (held_bytes_of(make_recorder(), size, backward=backward, record=False) for backward in (False, True))
    # The input has a twin, whose gradient is the recorder's.
    assert with_gradients - without == 3 * size * 4


def test_gradients_that_are_forgotten_count_until_then(make_recorder: MakeRecorder) -> None:
    kept, forgotten = (held_bytes_of(make_recorder(), 100_000, clear=clear) for clear in (False, True))
    assert kept == forgotten


@pytest.mark.filterwarnings("ignore::comgra_export.ComgraRecordingWarning")
def test_more_gradients_than_may_be_held_are_gaps(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "GRADIENT_BYTES", 2 * 4 * 3 * B)
    recorder = make_recorder(strict=False)
    with recorder.batch(0, B), recorder.iteration():
        tensors = [torch.ones(B, 3, requires_grad=True)]
        for number in range(3):
            tensors.append(tensors[-1] * 2)
            recorder.register_tensor(f"h{number}", tensors[-1])
        for _ in range(2):  # The sum takes the place of the first gradient.
            tensors[-1].sum().backward(retain_graph=True)
        recorder.record_current_gradients("gradients")
    # The backward pass comes from the end: there is room for two.
    assert gradient_means(recorder, "gradients") == {"h2": 2, "h1": 4}
    (gap,) = read_gaps(recorder)
    assert (gap.tensor, gap.group) == ("h0", "gradients")
    assert "GB of gradients would be held in this step" in gap.reason
    assert tensors[0].grad is not None
    assert torch.equal(tensors[0].grad, torch.full((B, 3), 16.0)), "training goes on as it would have"


@pytest.mark.filterwarnings("ignore::comgra_export.ComgraRecordingWarning")
def test_what_had_no_room_in_one_group_may_be_in_the_next(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "GRADIENT_BYTES", 4 * 3 * B)
    recorder = make_recorder(strict=False)
    with recorder.batch(0, B), recorder.iteration():
        first = torch.ones(B, 3, requires_grad=True) * 2
        second = first * 3
        recorder.register_tensor("first", first)
        recorder.register_tensor("second", second)
        second.sum().backward(retain_graph=True)
        recorder.record_current_gradients("both", set_gradients_to_zero_if_not_a_parameter=True)
        first.sum().backward()
        recorder.record_current_gradients("first alone")
    assert gradient_means(recorder, "both") == {"second": 1}
    assert gradient_means(recorder, "first alone")["first"] == 1
    assert [(gap.tensor, gap.group) for gap in read_gaps(recorder)] == [("first", "both")]


def test_gradients_that_are_forgotten_make_room(recorder: ComgraRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "GRADIENT_BYTES", 4 * 3 * B)
    with recorder.batch(0, B), recorder.iteration():
        for number in range(3):
            h = torch.ones(B, 3, requires_grad=True) * 2
            recorder.register_tensor(f"h{number}", h)
            h.sum().backward()
            recorder.record_current_gradients(f"gradients {number}", set_gradients_to_zero_if_not_a_parameter=True)
    assert [gradient_means(recorder, f"gradients {number}")[f"h{number}"] for number in range(3)] == [1, 1, 1]
    assert not read_gaps(recorder)


@pytest.mark.filterwarnings("ignore::comgra_export.ComgraRecordingWarning")
def test_second_results_beyond_their_memory_are_not_computed(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    size = 4 * 3 * B
    # The gradient of `x` itself, and one second result.
    monkeypatch.setattr(twins, "TWIN_BYTES", 2 * size)
    weight = torch.ones(3, requires_grad=True)
    recorder = make_recorder(strict=False)
    with recorder.batch(0, B), recorder.iteration():
        x = torch.ones(B, 3)
        recorder.register_tensor("x", x, is_input=True)
        once = x * 2
        twice = once * 2
        (once * weight + twice * weight).sum().backward()
        late = torch.ones(B, 3)
        recorder.register_tensor("late", late, is_input=True)
        (late * weight).sum().backward()
        recorder.record_current_gradients("gradients")
    means = gradient_means(recorder, "gradients")
    assert not {"x", "late"} & {name for name, mean in means.items() if mean}
    reasons = {gap.tensor: gap.reason for gap in read_gaps(recorder)}
    assert set(reasons) == {"x", "late"}
    assert all("GB would be taken in this step for gradients of tensors that require none" in reason for reason in reasons.values())
