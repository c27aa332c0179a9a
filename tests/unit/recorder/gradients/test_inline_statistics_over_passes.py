"""Statistics taken during backward when there are several passes, scales, threads or decisions that come later."""

from __future__ import annotations

import threading
import warnings

import pytest
import torch

from comgra_export import ComgraRecorder, ComgraRecordingWarning, DecisionMakerForRecordingsHardcoded
from support.recorder.fixtures import MakeRecorder
from support.recorder.gradient_flows import B, Flow, check, check_all, leaf, plain, with_only_a_bias
from support.recorder.reading import read_gaps, read_records


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
