"""Gradients through single calls when there are several backward passes, groups, iterations or steps."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder
from comgra_export.storage import open_recording
from support.recorder.call_gradients import Residual, Two, mean_of, means, record, scale
from support.recorder.reading import folder_of, read_records

pytestmark = pytest.mark.slow


def test_backward_passes_are_summed(recorder: ComgraRecorder) -> None:
    net = Two()
    recorder.watch(net, "net")

    def body() -> None:
        x = torch.tensor([[1.0, 2.0]])
        first, second = net.a(x).sum(), net.b(x).sum()
        (first + second).backward(retain_graph=True)
        (first * 10).backward()

    record(recorder, body)
    # For a, the mean of [9, 12] is 10.5. For b, the mean of [3, -1] is 1.
    assert means(recorder)["net.a: gradient of input"] == 10.5 * 11
    assert means(recorder)["net.b: gradient of input"] == 1
    assert means(recorder)["net.a: input"] == 10.5 * 11 + 1


def test_what_comes_whole_through_one_call_first_may_come_through_another_one_later(recorder: ComgraRecorder) -> None:
    net = Two()
    recorder.watch(net, "net")

    def body() -> None:
        hidden = torch.tensor([[1.0, 2.0]], requires_grad=True).exp()
        net.a(hidden).sum().backward(retain_graph=True)
        net.b(hidden).sum().backward()

    record(recorder, body)
    mean = means(recorder)
    assert (mean["net.a: gradient of input"], mean["net.b: gradient of input"], mean["net.a: input"]) == (10.5, 1, 11.5)


def test_a_second_pass_that_leads_to_a_tensor_from_elsewhere_does_not_lose_the_first(recorder: ComgraRecorder) -> None:
    net = scale(5.0)
    recorder.watch(net, "net")

    def body() -> None:
        x = torch.ones(1, 1, requires_grad=True)
        recorder.register_tensor("x", x)
        other = x * 2
        net(x).sum().backward()
        other.sum().backward()

    record(recorder, body)
    assert (means(recorder)["net: gradient of input"], means(recorder)["x"]) == (5, 7)


def test_every_group_of_gradients_has_its_own(recorder: ComgraRecorder) -> None:
    net = Two()
    recorder.watch(net, "net")
    with recorder.batch(0, 1), recorder.iteration():
        x = torch.tensor([[1.0, 2.0]])
        first, second = net.a(x).sum(), net.b(x).sum()
        first.backward()
        recorder.record_current_gradients("first")
        second.backward()
        recorder.record_current_gradients("second")
    assert means(recorder, "first")["net.a: gradient of input"] == 10.5
    assert means(recorder, "first")["net.b: gradient of input"] is None
    assert means(recorder, "second")["net.b: gradient of input"] == 1


def test_gradients_that_are_forgotten_are_not_counted_again(recorder: ComgraRecorder) -> None:
    net = Two()
    recorder.watch(net, "net")
    with recorder.batch(0, 1), recorder.iteration():
        loss = net(torch.tensor([[1.0, 2.0]]))
        loss.backward(retain_graph=True)
        recorder.record_current_gradients("first", set_gradients_to_zero_if_not_a_parameter=True)
        (loss * 2).backward()
        recorder.record_current_gradients("second")
    name = "net.a: gradient of input"
    assert (means(recorder, "first")[name], means(recorder, "second")[name]) == (10.5, 21)


def test_gradients_that_are_asked_for_count_too(recorder: ComgraRecorder) -> None:
    net = nn.ModuleDict({"a": scale(2.0), "b": scale(3.0)})
    recorder.watch(net, "net")

    def body() -> Tensor:
        x = torch.ones(1, 1, requires_grad=True)
        hidden = x * 1
        score = (net["a"](hidden) + net["b"](hidden)).square().sum()
        (slope,) = torch.autograd.grad(score, hidden, create_graph=True)
        return slope.sum() + 0 * score  # type: ignore[no-any-return]

    record(recorder, body)
    # The slope of (a h + b h)^2 is 2 (a + b)^2 h = 50: a has 2 / 5 and b 3 / 5 of it. Its own slope is 50 again, in the same shares.
    mean = means(recorder)
    assert (mean["net.a: gradient of input"], mean["net.b: gradient of input"]) == (40, 60)
    assert mean["net.a: input"] == 100


def test_a_step_of_which_it_is_decided_later_has_them_too(recorder: ComgraRecorder) -> None:
    net = Two()
    recorder.watch(net, "net")
    recorder.start_batch(0, 1, type_of_execution=None)
    recorder.start_iteration()
    net(torch.tensor([[1.0, 2.0]])).backward()
    recorder.decide_recording_of_batch("train")
    recorder.record_current_gradients("gradients")
    recorder.finish_iteration()
    recorder.finish_batch()
    assert (means(recorder)["net.a: gradient of input"], means(recorder)["net.b: gradient of input"]) == (10.5, 3)


def test_every_iteration_has_its_own(recorder: ComgraRecorder) -> None:
    net = Residual(scale(5.0))
    recorder.watch(net, "net")
    with recorder.batch(0, 1):
        memory = torch.ones(1, 1)
        for _ in range(2):
            with recorder.iteration():
                memory = net(memory)
        memory.sum().backward()
        recorder.record_current_gradients("gradients")
    name = "net.branch: gradient of input"
    records = read_records(recorder)
    # Each pass multiplies by 6. The branch contributes 5 of it.
    assert [mean_of(records["gradients", name, iteration]) for iteration in (0, 1)] == [30, 5]
    recording = open_recording(folder_of(recorder))
    trees = [recording.calls(digest or "") for digest in recording.step(0).calls]
    assert [[port.gradient_record_iteration for port in tree.ports if port.gradient_record_name == name] for tree in trees] == [[0], [1]]
