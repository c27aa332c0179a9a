"""What a script reads from the recorder while it trains. comgra 0.11.5 gave the expected answers, with None for the iteration -1."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import pytest
import torch

from comgra_export import ComgraRecorder, DecisionMakerForRecordingsHardcoded, TensorReference
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import read_edges, read_records, read_structure

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


def test_attributes_of_comgra(tmp_path: Path) -> None:
    recorder = ComgraRecorder(tmp_path, "group", "trial", every=2)
    assert (recorder.training_step, recorder.type_of_execution, recorder.notes) == (None, None, [])
    assert (recorder.trial_path, recorder.group_path) == (tmp_path / "group" / "trial", tmp_path / "group")
    assert (recorder.trial_path / "rank-0").is_dir()
    recorder.add_note(3)
    for step, kind in ((4, "train"), (5, "test")):
        recorder.start_batch(step, B, kind)
        recorder.start_iteration()
        recorder.add_note(f"in {recorder.type_of_execution}")
        recorder.finish_iteration()
        recorder.finish_batch()
        assert (recorder.training_step, recorder.type_of_execution) == (step, kind)
    recorder.finalize()
    assert recorder.notes == ["3", "in train", "in test"]


def test_attributes_of_a_recorder_that_is_turned_off(tmp_path: Path) -> None:
    recorder = ComgraRecorder(tmp_path / "nowhere", "group", "trial", comgra_is_active=False)
    recorder.start_batch(7, B, "train")
    assert (recorder.training_step, recorder.type_of_execution) == (7, "train")
    assert recorder.trial_path == tmp_path / "nowhere" / "group" / "trial"
    assert not any(tmp_path.iterdir())


def test_a_reference_with_all_six_fields_of_comgra(recorder: ComgraRecorder) -> None:
    first = TensorReference("x", 0, "node", "role", True, None)
    second = TensorReference("again", 0, node_name="node", role_within_node="other", is_canonical_reference=False, previous_reference=first)
    assert second.get_canonical_reference() is first
    with recorder.batch(0, B), recorder.iteration():
        x, y = torch.randn(B, 2), torch.randn(B, 2)
        recorder.register_tensor("x", x)
        recorder.register_tensor("y", y)
        recorder.add_tensor_connection(first, y)
    assert read_edges(recorder) == {("x", "y")}


def test_any_text_and_numbers_as_roles_and_groups_of_gradients(recorder: ComgraRecorder) -> None:
    roles: list[str | int] = ["", 0, "a*b", "node__c"]
    with recorder.batch(0, B), recorder.iteration():
        tensors = [torch.randn(B, 2, requires_grad=True) for _ in roles]
        for role, tensor in zip(roles, tensors, strict=True):
            recorder.register_tensor(f"tensor {role}".replace("*", ""), tensor, node_name="node", role_within_node=role)
        torch.stack(tensors).sum().backward()
        recorder.record_current_gradients("loss * 2")
    entries = [record.entry for (group, _, _), record in read_records(recorder).items() if group == "loss * 2"]
    assert [(entry.node, entry.role) for entry in entries] == [("node", str(role)) for role in roles]
    assert [row.role for row in read_structure(recorder).tensors] == ["", "0", "a*b", "node__c"]


def test_modules_of_comgra_can_be_imported(capsys: pytest.CaptureFixture[str]) -> None:
    from comgra_export import utilities, utilities_initialization_config

    utilities_initialization_config.DEBUG_MODE = True
    utilities_initialization_config.DEBUG_MODE = False
    assert utilities.runtime_analysis_decorator(double) is double
    utilities.print_total_runtimes()
    for _ in range(2):
        utilities.warn_once("only once")
    assert capsys.readouterr().out == "only once\n"
    assert utilities.the({4}) == 4
    with pytest.raises(ValueError, match="exactly one") as caught:
        utilities.the([1, 2])
    shown = utilities.get_error_message_details((caught.type, caught.value, caught.tb))
    assert shown.startswith("Traceback")
    assert shown.endswith("ValueError: There should be exactly one element, and there are 2.\n")


def double(x: int) -> int:
    return 2 * x
