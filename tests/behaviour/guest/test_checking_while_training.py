"""With `check=True`, a training hears what looks wrong in it while it goes on, and is otherwise left alone."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import traceback
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import comgra_export
from comgra_export import ComgraFindingWarning, ComgraRecorder, ComgraRecordingWarning, DecisionMakerForRecordingsFrequencyPerType
from comgra_export.analysis.findings import catalogue
from comgra_export.errors import MisuseError, WrongChoiceError
from comgra_export.rules import Finding, Run
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of

B = 8
ALWAYS = DecisionMakerForRecordingsFrequencyPerType(1)


def _train(recorder: ComgraRecorder, bad_steps: tuple[int, ...] = (), steps: range = range(6)) -> list[float]:
    """Trains to the end. The input of bad steps holds a NaN. After each step, everything is written and checked."""
    torch.manual_seed(3)
    network = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(network.parameters(), 0.01)
    recorder.track_module("net", network)
    losses = []
    for number in steps:
        x = torch.randn(B, 4)
        if number in bad_steps:
            x[1, 2] = float("nan")
        with recorder.batch(number, B), recorder.iteration():
            recorder.register_tensor("x", x, is_input=True)
            loss = network(x).square().mean()
            recorder.register_tensor("loss", loss, is_loss=True)
            optimizer.zero_grad()
            loss.backward()
            recorder.record_current_gradients("gradients")
            optimizer.step()
        losses.append(loss.item())
        recorder.flush()
    recorder.finalize()
    return losses


def _of_findings(caught: list[warnings.WarningMessage]) -> list[str]:
    return [str(each.message) for each in caught if each.category is ComgraFindingWarning]


def test_a_warning_names_rule_place_step_and_value_once(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(check=True)
    with pytest.warns(ComgraFindingWarning) as caught:
        _train(recorder, bad_steps=(3, 4))
    (message,) = _of_findings(list(caught))
    assert message.startswith("bug since step 3, tensor x: A value is NaN or infinite (nan-origin). 'x' is the first tensor that")
    assert "the data is not finite" in message


def test_a_measured_value_is_in_the_warning(make_recorder: MakeRecorder) -> None:
    network = nn.Sequential(nn.Linear(4, 3))
    recorder = make_recorder(check=True)
    recorder.watch(network)
    with recorder.batch(0, B), recorder.iteration():
        nn.functional.nll_loss(network(torch.full((B, 4), 2.0)) + 7, torch.zeros(B, dtype=torch.long)).backward()
    with pytest.warns(ComgraFindingWarning) as caught:
        recorder.flush()
    (message,) = _of_findings(list(caught))
    assert "(nll-without-log-softmax)" in message
    assert " (limit: 0.01)." in message.split("Measured: ")[1]


def test_a_function_gets_each_finding_once_in_the_thread_of_the_training(make_recorder: MakeRecorder) -> None:
    got: list[tuple[Finding, int]] = []
    recorder = make_recorder(check=True, on_finding=lambda finding: got.append((finding, threading.get_ident())))
    with pytest.warns(ComgraFindingWarning):
        _train(recorder, bad_steps=(3, 5))
    ((finding, thread),) = got
    assert (finding.rule, finding.step, finding.place.name) == ("nan-origin", 3, "x")
    assert thread == threading.get_ident()


def _stop(finding: Finding) -> None:
    raise RuntimeError(f"stopped by {finding.rule}")


def test_an_exception_of_the_function_stops_the_training_with_its_own_traceback(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(check=True, on_finding=_stop)
    with pytest.warns(ComgraFindingWarning), pytest.raises(RuntimeError, match="stopped by nan-origin") as raised, recorder:
        _train(recorder, bad_steps=(3,))
    frames = [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]
    assert frames[-1] == "_stop"
    assert open_recording(folder_of(recorder)).steps == (0, 1, 2, 3)


def _train_watched(recorder: ComgraRecorder, network: nn.Module, done: list[int]) -> None:
    optimizer = torch.optim.SGD(network.parameters(), 0.1)
    assert recorder._output is not None
    for number in range(50):
        loss = nn.functional.cross_entropy(network(torch.randn(B, 4)), torch.zeros(B, dtype=torch.long))
        optimizer.zero_grad()
        loss.backward()
        # Everything is written and checked, and nothing of it delivered.
        recorder._output.flush()
        optimizer.step()
        done.append(number)


def test_a_watched_training_is_stopped_at_the_step_of_its_optimizer(tmp_path: Path) -> None:
    network = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))
    done: list[int] = []
    recorder = comgra_export.watch(network, tmp_path, decision_maker_for_recordings=ALWAYS, strict=True, check=True, on_finding=_stop)
    warned = pytest.warns(ComgraFindingWarning, match="softmax-before-cross-entropy")
    with warned as caught, pytest.raises(RuntimeError, match="stopped by") as raised, recorder:
        _train_watched(recorder, network, done)
    frames = [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]
    assert "_train_watched" in frames
    assert frames[-1] == "_stop"
    # It points to a line of the script, and not to one of ours or of PyTorch's.
    assert {each.filename for each in caught} == {__file__}
    # The first step was written before the optimizer made the second.
    assert done == [0]
    # It is no exception that a rule would name.
    (note,) = open_recording(folder_of(recorder)).notes
    assert note.text == "stopped by on_finding after step 1"
    assert not network[0]._forward_hooks


def _record_not_a_number(recorder: ComgraRecorder) -> None:
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", torch.full((B, 2), float("nan")), is_input=True)


def _fail_after(recorder: ComgraRecorder) -> None:
    _record_not_a_number(recorder)
    raise ZeroDivisionError


def test_after_another_exception_the_function_is_not_called(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(check=True, on_finding=_stop)
    with pytest.warns(ComgraFindingWarning, match="nan-origin"), pytest.raises(ZeroDivisionError), recorder:
        _fail_after(recorder)


def test_what_comes_to_light_at_the_end_is_delivered_there(make_recorder: MakeRecorder) -> None:
    got: list[Finding] = []
    recorder = make_recorder(check=True, on_finding=got.append)
    _record_not_a_number(recorder)
    with pytest.warns(ComgraFindingWarning, match="since step 0, tensor x"):
        recorder.finalize()
    assert [finding.rule for finding in got] == ["nan-origin"]


def test_nothing_is_checked_unless_asked_for(make_recorder: MakeRecorder) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for check in (None, False):
            recorder = make_recorder(check=check)
            _train(recorder, bad_steps=(1,))


def test_the_rules_are_loaded_only_if_asked_for(tmp_path: Path) -> None:
    code = (
        "import sys; from comgra_export import ComgraRecorder\n"
        f"for check in (None, True): ComgraRecorder({str(tmp_path)!r}, trial_id=str(check), check=check).finalize();"
        " print('comgra_export.analysis.findings.find' in sys.modules or 'comgra_export.analysis.findings.catalogue' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert said.split() == ["False", "True"]


def test_the_recording_and_the_results_are_the_same_with_and_without(make_recorder: MakeRecorder) -> None:
    plain, checked = make_recorder(), make_recorder(check=True, on_finding=lambda _: None)
    with pytest.warns(ComgraFindingWarning):
        losses = [_train(recorder, bad_steps=(4,)) for recorder in (plain, checked)]
    assert str(losses[0]) == str(losses[1])
    first, second = (open_recording(folder_of(recorder)) for recorder in (plain, checked))
    assert first.steps == second.steps == (0, 1, 2, 3, 4, 5)
    for step in first.steps:
        for name, blob in first.blobs(step).items():
            assert blob.data.tobytes() == second.blobs(step)[name].data.tobytes()
    assert first.gaps == second.gaps == ()


@pytest.fixture
def with_rules(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401
    """Adds a rule like `nan-origin` with another check."""
    own = next(rule for rule in catalogue.own_rules() if rule.name == "nan-origin")

    def add(check: Any) -> None:  # noqa: ANN401
        rule = replace(own, name="mine", check=check)
        monkeypatch.setattr("comgra_export.recorder.checking.checker.all_rules", lambda: (rule, own))

    return add


@pytest.mark.parametrize("error", [ValueError, SystemExit])
def test_a_rule_that_fails_is_a_gap_and_no_crash(make_recorder: MakeRecorder, with_rules: Any, error: type[BaseException]) -> None:  # noqa: ANN401
    def check(_: Run) -> list[Finding]:
        raise error("no /home/jane/data")

    with_rules(check)
    recorder = make_recorder(check=True)
    with pytest.warns(ComgraRecordingWarning) as caught:
        _train(recorder)
    (message,) = [str(each.message) for each in caught]
    assert message.endswith("The training and the recording are not affected.")
    recording = open_recording(folder_of(recorder))
    assert recording.steps == (0, 1, 2, 3, 4, 5)
    (gap,) = recording.gaps
    assert gap.step == 0
    assert error.__name__ in gap.reason
    assert "jane" not in gap.reason
    assert "nothing is missing, but" in gap.reason


def test_other_rules_go_on_when_one_fails(make_recorder: MakeRecorder, with_rules: Any) -> None:  # noqa: ANN401
    with_rules(lambda _: 1 / 0)
    recorder = make_recorder(check=True)
    with pytest.warns(ComgraRecordingWarning, match="The rule 'mine' failed"), pytest.warns(ComgraFindingWarning, match="nan-origin"):
        _train(recorder, bad_steps=(2,))


def test_what_is_muted_is_not_announced(make_recorder: MakeRecorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "comgra-findings.toml").write_text('[[mute]]\nrule = "nan-origin"\nnode = "x"\n', "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        recorder = make_recorder(check=True)
        _train(recorder, bad_steps=(2,))
    (tmp_path / "comgra-findings.toml").write_text("[[mute", "utf-8")
    with pytest.raises(WrongChoiceError, match="is not TOML"):
        make_recorder(check=True)


def test_a_process_of_several_names_its_rank(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(check=True, rank=1, world_size=2)
    with pytest.warns(ComgraFindingWarning, match="^Rank 1: bug since step 2, tensor x"):
        _train(recorder, bad_steps=(2,))


def test_a_run_that_is_resumed_is_checked_from_there_on(make_recorder: MakeRecorder) -> None:
    for steps, bad in ((range(4), 2), (range(4, 8), 6)):
        recorder = make_recorder(check=True, trial_id="resumed", existing_trial="append")
        with pytest.warns(ComgraFindingWarning) as caught:
            _train(recorder, bad_steps=(bad,), steps=steps)
        (message,) = _of_findings(list(caught))
        assert f"since step {bad}, tensor x" in message


def test_without_a_thread_steps_are_checked_while_the_training_waits(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    got: list[Finding] = []
    recorder = make_recorder(check=True, on_finding=got.append)
    with pytest.warns(ComgraRecordingWarning, match="while the training waits"), pytest.warns(ComgraFindingWarning, match="since step 2"):
        _train(recorder, bad_steps=(2,))
    assert [finding.step for finding in got] == [2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_leaves_findings_to_its_parent(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(check=True)
    _record_not_a_number(recorder)
    assert recorder._output is not None
    recorder._output.flush()
    child = os.fork()
    if child == 0:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            recorder.flush()
        os._exit(len(caught))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with pytest.warns(ComgraFindingWarning, match="since step 0"):
        recorder.finalize()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"check": "yes"}, "check is 'yes'. Use True, False or None"),
        ({"on_finding": print}, "on_finding is given without check=True"),
        ({"check": True, "on_finding": 3}, "on_finding is 3. Give a function"),
    ],
)
def test_wrong_arguments_are_named(make_recorder: MakeRecorder, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(MisuseError, match=words):
        make_recorder(**arguments)
