"""What a script reads from the recorder while it trains. comgra 0.11.5 gave the expected answers, with None for the iteration -1."""

from __future__ import annotations

import copy
import json
import pickle

import torch

from comgra_export import ComgraRecorder, DecisionMakerForRecordingsHardcoded
from support.recorder.fixtures import MakeRecorder

B = 4


def test_the_iteration_and_whether_it_is_recorded(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded({0, 2}))
    seen: list[tuple[int, bool]] = []

    def look() -> None:
        seen.append((int(recorder.iteration), recorder.recording_is_active()))

    look()
    for step in range(3):
        recorder.start_batch(step, B)
        look()
        for _ in range(2):
            recorder.start_iteration()
            look()
            recorder.finish_iteration()
            look()
        recorder.finish_batch()
        look()
    recorded = [(-1, True), (0, True), (0, True), (1, True), (1, True), (1, True)]
    assert seen == [(-1, True), *recorded, *[(-1, False)] * 6, *recorded]
    recorder.finalize()
    assert not recorder.recording_is_active()


def test_a_step_that_is_dropped_was_not_recorded(recorder: ComgraRecorder) -> None:
    recorder.start_batch(0, B)
    recorder.abandon_batch()
    assert not recorder.recording_is_active()


def test_the_iteration_is_a_number_that_can_be_called(recorder: ComgraRecorder) -> None:
    with recorder.batch(0, B):
        for number in range(2):
            with recorder.iteration():
                assert recorder.iteration == number
                assert ["first", "second"][recorder.iteration] == ("first", "second")[number]
                assert f"{recorder.iteration:02}" == f"0{number}"
    copied, unpickled = copy.deepcopy(recorder.iteration), pickle.loads(pickle.dumps(recorder.iteration))
    assert copied == unpickled == 1
    assert type(unpickled) is int
    assert json.dumps(recorder.iteration) == "1"


def test_what_is_detached_requires_a_gradient_of_its_own(recorder: ComgraRecorder) -> None:
    weight = torch.ones(3, requires_grad=True)
    for step, is_recorded in enumerate((True, False)):
        weight.grad = None
        with recorder.batch(step, B, override__recording_is_active=is_recorded), recorder.iteration():
            detached = recorder.detach_while_keeping_connection(weight * 2)
            (detached * 5).sum().backward()
        assert detached.grad is not None
        assert detached.grad.tolist() == [5.0] * 3
        assert weight.grad is None
    assert not recorder.detach_while_keeping_connection(torch.ones(3, dtype=torch.int64)).requires_grad
    inactive = ComgraRecorder("", comgra_is_active=False)
    assert inactive.detach_while_keeping_connection(weight).requires_grad
    assert (inactive.iteration, inactive.recording_is_active()) == (-1, False)
