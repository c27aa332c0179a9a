"""The rules about training and evaluation mode, batch normalization, and exceptions, on small scripts that are watched."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import comgra_export
from comgra_export import ComgraRecorder, DecisionMakerForRecordingsHardcoded
from comgra_export.analysis.findings.find import find
from comgra_export.analysis.findings.model.finding import Evidence, Place, Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.modes import setting
from comgra_export.analysis.findings.rules.training import (
    evaluation_changes_buffers,
    evaluation_in_training_mode,
    exception_in_step,
    small_batch_norm,
    training_in_evaluation_mode,
)
from comgra_export.analysis.history.run import Run, read_runs
from comgra_export.storage import ModuleEntry, ModuleRuns, Note, StepException
from support.analysis.runs import Given, RunByHand, loss_call
from support.analysis.watched import recorded, train


@pytest.mark.parametrize(
    ("description", "number"),
    [
        ("p=0.5, inplace=False", 0.5),
        ("inplace=False, p=1e-05", 1e-5),
        ("f(p=-2.5E+3)", -2500.0),
        ("p=1", 1.0),
        ("p=.5", 0.5),
        ("p=0.5.1", None),
        ("p=1e", None),
        ("p=1e999", None),
        ("p=None", None),
        ("drop=0.5, a.p=0.5", None),
        ("", None),
    ],
)
def test_a_setting_is_a_whole_finite_number_or_unknown(description: str, number: float | None) -> None:
    assert setting(ModuleEntry("m", "Dropout", -1, description), "p") == number


def _network(norm: nn.Module | None = None) -> nn.Sequential:
    return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8) if norm is None else norm, nn.Dropout(0.2), nn.Linear(8, 3))


def _run(tmp_path: Path, model: nn.Module, evaluate: Callable[[int], object] | None = None, steps: int = 6, batch: int = 16) -> Run:
    def loss(_: int) -> Tensor:
        result: Tensor = model(torch.randn(batch, 4)).square().mean()
        return result

    return recorded(tmp_path, model, lambda _: train(model, steps, loss, evaluate=evaluate))


def _evaluation(model: nn.Module, *, before: bool, after: bool) -> Callable[[int], None]:
    """An evaluation of two batches. `before` and `after` say whether the model is in training mode in it and after it."""

    def evaluate(_: int) -> None:
        model.train(before)
        with torch.no_grad():
            for _batch in range(2):
                model(torch.randn(16, 4))
        model.train(after)

    return evaluate


def test_a_script_that_switches_modes_is_right(tmp_path: Path) -> None:
    model = _network()
    run = _run(tmp_path, model, _evaluation(model, before=False, after=True))
    for rule in (
        training_in_evaluation_mode.RULE,
        evaluation_in_training_mode.RULE,
        evaluation_changes_buffers.RULE,
        small_batch_norm.RULE,
    ):
        assert list(rule.check(run)) == []


def test_evaluations_in_training_mode_are_named_with_what_they_change(tmp_path: Path) -> None:
    model = _network()
    run = _run(tmp_path, model, _evaluation(model, before=True, after=True))
    (finding,) = evaluation_in_training_mode.RULE.check(run)
    assert finding.severity == Severity.PROBLEM
    assert [place.name for place in finding.places] == ["model.1", "model.2"]
    (finding,) = evaluation_changes_buffers.RULE.check(run)
    assert {place.name for place in finding.places} == {"model.1.running_mean", "model.1.running_var", "model.1.num_batches_tracked"}
    assert finding.step == 0.000001


def test_dropout_that_drops_nothing_has_no_mode(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.0), nn.Linear(8, 3))
    run = _run(tmp_path, model, _evaluation(model, before=True, after=True))
    with pytest.raises(NotCheckedError, match="no dropout"):
        list(evaluation_in_training_mode.RULE.check(run))


def test_a_training_step_with_a_nan_that_a_sentinel_recorded_is_no_evaluation(tmp_path: Path) -> None:
    model = _network()

    def loss(step: int) -> Tensor:
        x = torch.randn(16, 4)
        result: Tensor = (model(x) + (float("nan") if step == 3 else 0.0)).square().mean()
        return result

    first = DecisionMakerForRecordingsHardcoded({0})
    with comgra_export.watch(model, tmp_path, decision_maker_for_recordings=first, sentinels=True):
        train(model, 6, loss)
    (run,) = read_runs(tmp_path)
    assert run.is_triggered.any()
    assert run.is_training.all()
    with pytest.raises(NotCheckedError, match="no evaluation"):
        list(evaluation_in_training_mode.RULE.check(run))


def test_sampling_from_one_of_several_networks_is_information(tmp_path: Path) -> None:
    model, critic = _network(), nn.Linear(3, 1)
    sample = _evaluation(model, before=True, after=True)

    def script(recorder: ComgraRecorder) -> None:
        recorder.watch(critic, "critic")
        train(model, 4, lambda _: critic(model(torch.randn(16, 4))).mean(), evaluate=sample)

    run = recorded(tmp_path, model, script)
    for rule in (evaluation_in_training_mode.RULE, evaluation_changes_buffers.RULE):
        assert [finding.severity for finding in rule.check(run)] == [Severity.INFORMATION]


@pytest.mark.parametrize("is_whole", [False, True])
def test_sampling_from_a_part_of_a_container_is_information(tmp_path: Path, is_whole: bool) -> None:
    """Generator and critic in one container that never runs itself. An evaluation of both is an evaluation."""
    model = nn.ModuleDict({"generator": _network(), "critic": nn.Linear(3, 1)})

    def sample(_: int) -> None:
        with torch.no_grad():
            result = model["generator"](torch.randn(16, 4))
            if is_whole:
                model["critic"](result)

    def script(_: ComgraRecorder) -> None:
        train(model, 4, lambda _: model["critic"](model["generator"](torch.randn(16, 4))).mean(), evaluate=sample)

    run = recorded(tmp_path, model, script)
    for rule in (evaluation_in_training_mode.RULE, evaluation_changes_buffers.RULE):
        assert [finding.severity for finding in rule.check(run)] == [Severity.PROBLEM if is_whole else Severity.INFORMATION]


def test_training_that_stays_in_evaluation_mode_after_an_evaluation_is_a_problem(tmp_path: Path) -> None:
    model = _network()
    evaluate = _evaluation(model, before=False, after=False)
    run = _run(tmp_path, model, lambda step: evaluate(step) if step == 2 else None, steps=9)
    (finding,) = training_in_evaluation_mode.RULE.check(run)
    assert finding.severity == Severity.PROBLEM


@pytest.mark.parametrize(("forgotten", "is_named"), [(4, True), (3, False)])
def test_training_that_is_in_evaluation_mode_for_a_while_is_a_problem(tmp_path: Path, forgotten: int, is_named: bool) -> None:
    """With four forgotten steps, the weights change three times between two of them."""
    model = _network()
    evaluate = _evaluation(model, before=False, after=False)

    def between(step: int) -> None:
        if step == 2:
            evaluate(step)
        if step == 2 + forgotten:
            model.train()

    findings = list(training_in_evaluation_mode.RULE.check(_run(tmp_path, model, between, steps=12)))
    assert [(each.place.name, each.severity) for each in findings] == [("model.1", Severity.PROBLEM)] * is_named
    assert all("changes 3 times from one" in each.message for each in findings)


def test_training_that_begins_in_evaluation_mode_is_a_symptom(tmp_path: Path) -> None:
    (finding,) = training_in_evaluation_mode.RULE.check(_run(tmp_path, _network().eval()))
    assert finding.severity == Severity.SYMPTOM


def test_evaluations_after_the_last_training_step_are_right(tmp_path: Path) -> None:
    model = _network()

    def evaluate(step: int) -> None:
        if step == 5:
            model.eval()
            for _ in range(6):
                model(torch.randn(16, 4))
            model.train()

    assert list(training_in_evaluation_mode.RULE.check(_run(tmp_path, model, evaluate))) == []


@pytest.mark.parametrize("freeze", ["flag", "single modules"])
def test_a_script_that_freezes_on_purpose_is_at_most_information(tmp_path: Path, freeze: str) -> None:
    """The step is begun by the script, so evaluation mode does not make it an evaluation."""
    modules = {"model": "Net", "model.norm": "BatchNorm1d"}
    written = RunByHand(tmp_path, [Given("model.weight", "parameter")], modules)
    for step in range(3):
        runs = _modes(written, (freeze != "flag", False))
        written.step(step, {"model.weight": [[1.0]]}, {"model.weight": 1.0}, module_runs=runs)
    findings = list(training_in_evaluation_mode.RULE.check(written.read()))
    assert [finding.severity for finding in findings] == ([Severity.SYMPTOM] if freeze == "flag" else [])


def _modes(written: RunByHand, training: tuple[bool, ...]) -> ModuleRuns:
    return ModuleRuns(tuple(range(len(written.modules))), training, (1,) * len(training))


@pytest.mark.parametrize(("batch", "severity"), [(2, Severity.PROBLEM), (3, Severity.PROBLEM), (4, Severity.SYMPTOM), (16, None)])
def test_batch_normalization_over_few_samples_is_named(tmp_path: Path, batch: int, severity: Severity | None) -> None:
    findings = list(small_batch_norm.RULE.check(_run(tmp_path, _network(), batch=batch)))
    assert [finding.severity for finding in findings] == ([] if severity is None else [severity])


@pytest.mark.parametrize(("pictures", "severities"), [(4, []), (3, [Severity.SYMPTOM])])
def test_pictures_have_many_values_for_each_channel(tmp_path: Path, pictures: int, severities: list[Severity]) -> None:
    # 3 pictures of 3 x 2 pixels have 18 values.
    model = nn.Sequential(nn.Conv2d(1, 3, 1), nn.BatchNorm2d(3))
    run = recorded(tmp_path, model, lambda _: train(model, 2, lambda _: model(torch.randn(pictures, 1, 3, 2)).square().mean()))
    assert [finding.severity for finding in small_batch_norm.RULE.check(run)] == severities


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("ended by RuntimeError: mat1 and mat2 shapes cannot be multiplied", True),
        ("The step was ended by torch.OutOfMemoryError", True),
        ("ended by KeyboardInterrupt: ", False),
        ("The loss looks good", False),
    ],
)
def test_an_exception_is_named(tmp_path: Path, text: str, is_named: bool) -> None:
    written = RunByHand(tmp_path, [Given("x", "input")])
    written.step(7, {"x": [[1.0]]})
    written._writer.add_note(Note(text, 7))
    findings = list(exception_in_step.RULE.check(written.read()))
    assert [finding.step for finding in findings] == ([7] if is_named else [])
    if is_named:
        assert "Error" in findings[0].message


@pytest.mark.parametrize(
    ("text", "kind", "places"),
    [
        ("RuntimeError: Trying to backward through the graph a second time (or ...)", "LSTM", [("module", "net.memory")]),
        ("RuntimeError: Trying to backward through the graph a second time (or ...)", "Linear", [("run", "")]),
        ("IndexError: Target 7 is out of bounds.", "LSTM", [("tensor", "target")]),
        ("RuntimeError: CUDA out of memory", "LSTM", [("run", "")]),
    ],
    ids=["state", "no state", "target", "anything"],
)
def test_an_exception_outside_of_modules_is_where_its_message_says(
    tmp_path: Path, text: str, kind: str, places: list[tuple[str, str]]
) -> None:
    tensors = [Given("x"), Given("target", "target"), Given("loss", "loss", parents=("x", "target"), batch=False)]
    written = RunByHand(tmp_path, tensors, modules={"net": "Net", "net.memory": kind})
    written.step(0, {"x": [[1.0]], "target": [1.0], "loss": 1.0}, losses=(loss_call("cross_entropy", "x"),))
    written._writer.add_note(Note(f"ended by {text} in step 1", 1))
    (finding,) = exception_in_step.RULE.check(written.read())
    assert [(place.kind, place.name) for place in finding.places] == places


def test_the_note_says_in_which_module_an_exception_was_raised(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, [Given("x", "input"), Given("model.1: input", parents=("x",))])
    written.step(7, {"x": [[1.0]], "model.1: input": [[1.0]]})
    written._writer.add_note(Note("ended by ValueError: one value in step 8, raised in `model.1`", 8))
    (finding,) = exception_in_step.RULE.check(written.read())
    assert finding.places == (Place("module", "model.1"),)
    assert finding.message == "The script ended with ValueError in `model.1`: one value in step 8"
    caption = "What went into `model.1` at step 7. Then came `ValueError: one value`."
    assert finding.evidence == (Evidence("forward", "model.1: input", 0, 7, None, caption),)


@pytest.mark.parametrize(("ended", "shown"), [(25, 20), (20, 20), (5, None)])
def test_the_last_recorded_result_shows_what_an_exception_met(tmp_path: Path, ended: int, shown: int | None) -> None:
    written = RunByHand(tmp_path, [Given("x", "input"), Given("h", parents=("x",)), Given("w", "parameter")])
    for step in (10, 20, 30):
        written.step(step, {"x": [[1.0]], "h": [[2.0]], "w": [3.0]})
    written._writer.add_note(Note("ended by RuntimeError: no `k`\n  in sight", ended))
    (finding,) = exception_in_step.RULE.check(written.read())
    caption = f"The last recorded result, of step {shown}. Then came `RuntimeError: no 'k' in sight`."
    assert finding.evidence == (() if shown is None else (Evidence("forward", "h", 0, shown, None, caption),))


class _Cautious(nn.Module):
    """Raises for batches with a negative first value, and drops values with a function."""

    def __init__(self, training: bool | None = None) -> None:
        super().__init__()
        self.first, self.last, self.is_dropping = nn.Linear(4, 8), _Checked(), training

    def forward(self, x: Tensor) -> Tensor:
        hidden = nn.functional.dropout(self.first(x), 0.5, training=self.training if self.is_dropping is None else self.is_dropping)
        result: Tensor = self.last(hidden, x)
        return result


class _Checked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 1)

    def forward(self, hidden: Tensor, x: Tensor) -> Tensor:
        if x[0, 0] < 0:
            raise ValueError("negative")
        result: Tensor = self.layer(hidden)
        return result


def _skips(tmp_path: Path, *, is_caught: bool) -> Run:
    model = _Cautious()

    def loss(step: int) -> Tensor:
        try:
            model(torch.full((16, 4), -1.0 if step in (1, 3) else 1.0))
        except ValueError:
            if not is_caught:
                raise
        result: Tensor = model(torch.ones(16, 4)).square().mean()
        return result

    def script(_: ComgraRecorder) -> None:
        train(model, 5, loss)

    if is_caught:
        return recorded(tmp_path, model, script)
    with pytest.raises(ValueError, match="negative"):
        recorded(tmp_path, model, script)
    (run,) = read_runs(tmp_path)
    return run


def test_exceptions_that_the_script_catches_are_named_with_their_module(tmp_path: Path) -> None:
    (finding,) = exception_in_step.RULE.check(_skips(tmp_path, is_caught=True))
    assert ([place.name for place in finding.places], finding.step, finding.severity) == (["model.last"], 1, Severity.PROBLEM)
    assert "raised ValueError in 2 of 5 recorded training steps" in finding.message
    (evidence,) = finding.evidence
    assert (evidence.name.split(" ")[:2], evidence.step) == (["model.last:", "input"], 1)


@pytest.mark.parametrize(("is_trained_all_the_same", "is_named"), [(False, True), (True, False)])
def test_exceptions_behind_the_network_that_the_script_catches_are_named(
    tmp_path: Path, is_trained_all_the_same: bool, is_named: bool
) -> None:
    """What fails is the loss, which then is not used; or something beside it."""
    model = nn.Linear(4, 1)

    def loss(step: int) -> Tensor:
        predicted: Tensor = model(torch.randn(16, 4))
        rows = 7 if step in (1, 3) else 16
        with suppress(RuntimeError):
            used: Tensor = (predicted - torch.zeros(16, 1).view(rows, -1)).square().mean()
            return used
        return predicted.square().mean() if is_trained_all_the_same else model(torch.randn(16, 4)).square().mean()

    run = recorded(tmp_path, model, lambda _: train(model, 5, loss))
    assert [step.exceptions for step in run.steps[:2]] == [(), (StepException("RuntimeError", 0, None, "view"),)]
    findings = list(exception_in_step.RULE.check(run))
    assert [(each.place, each.step, each.severity) for each in findings] == [
        (Place("tensor", "model: output", 0), 1, Severity.PROBLEM)
    ] * is_named
    assert all("`view` raised RuntimeError in 2 of 5" in each.message for each in findings)


def test_an_exception_of_a_loss_function_is_at_its_target(tmp_path: Path) -> None:
    model = nn.Linear(4, 3)

    def loss(step: int) -> Tensor:
        with suppress(IndexError):
            return nn.functional.cross_entropy(model(torch.randn(8, 4)), torch.full((8,), 3 if step in (1, 3, 4) else 2))
        result: Tensor = model(torch.randn(8, 4)).square().mean()
        return result

    report = find(recorded(tmp_path, model, lambda _: train(model, 6, loss)), [exception_in_step.RULE])
    (finding,) = report.findings
    assert "`cross_entropy` raised IndexError in 3 of 6 recorded training steps, and the script went on. The" in finding.message
    assert [place.name for place in finding.places] == ["cross_entropy: target"]
    assert [place.name for place in finding.look_next] == ["model: output", "model: input"]


def test_an_exception_that_ends_the_script_is_named_once(tmp_path: Path) -> None:
    (finding,) = exception_in_step.RULE.check(_skips(tmp_path, is_caught=False))
    assert finding.severity == Severity.BUG
    assert "ValueError" in finding.message
    (evidence,) = finding.evidence
    assert finding.place == Place("module", "model.last")
    # The step that it ended was not recorded: the one before is.
    assert (evidence.name, evidence.step, finding.step) == ("model.last: input hidden", 0, 1)
    assert evidence.caption.endswith("Then came `ValueError: negative`.")


@pytest.mark.parametrize(("training", "is_named"), [(True, True), (None, False)])
def test_dropout_that_ignores_the_mode_is_named(tmp_path: Path, training: bool | None, is_named: bool) -> None:
    model = _Cautious(training)

    def evaluate(_: int) -> None:
        model.eval()
        with torch.no_grad():
            model(torch.ones(16, 4))
        model.train()

    run = recorded(tmp_path, model, lambda _: train(model, 5, lambda _: model(torch.ones(16, 4)).square().mean(), evaluate=evaluate))
    if is_named:
        (finding,) = evaluation_in_training_mode.RULE.check(run)
        assert (finding.place.name, finding.step, finding.value) == ("model.last: input hidden", 0.000001, 1.0)
    else:
        with pytest.raises(NotCheckedError, match="no dropout"):
            list(evaluation_in_training_mode.RULE.check(run))


def test_modules_for_dropout_are_no_functions_that_drop_values(tmp_path: Path) -> None:
    model = _network()
    run = _run(tmp_path, model, _evaluation(model, before=False, after=True))
    assert {step.dropouts for step in run.steps} == {()}


@pytest.mark.parametrize("head_trains", [True, False])
def test_a_head_that_is_set_to_training_mode_is_trained_on_purpose(tmp_path: Path, head_trains: bool) -> None:
    """The network around body and head stays in evaluation mode after an evaluation, and so do all calls of it."""
    body, head = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)).requires_grad_(False), nn.Linear(4, 1)
    model = nn.Sequential(body, head)

    def evaluate(_: int) -> None:
        model.eval()
        head.train(head_trains)

    assert bool(list(training_in_evaluation_mode.RULE.check(_run(tmp_path, model, evaluate, steps=6)))) is not head_trains


def test_the_place_is_what_ran_in_training_mode_before(tmp_path: Path) -> None:
    """A trunk may be in evaluation mode on purpose. What was not before is what somebody forgot."""
    trunk = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)).requires_grad_(False)
    model = nn.Sequential(trunk, _network())

    def evaluate(_: int) -> None:
        model.eval()
        with torch.no_grad():
            model(torch.randn(16, 4))

    trunk.eval()
    run = _run(tmp_path, model, evaluate, steps=5)
    (finding,) = training_in_evaluation_mode.RULE.check(run)
    assert finding.place == Place("module", "model.1.1")
