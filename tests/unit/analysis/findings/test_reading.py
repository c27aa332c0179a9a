"""`comgra_export.findings`, and rules of installed packages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import comgra_export
from comgra_export import MisuseError, NotARecordingError, WrongChoiceError, rules
from comgra_export.analysis.findings import catalogue
from comgra_export.analysis.history.run import iterate_runs, open_trials
from support.analysis.runs import Given, RunByHand
from support.analysis.stuck import write_stuck_run
from support.exporter.recordings import write_trial


def _check(run: rules.Run) -> Iterator[rules.Finding]:
    for name, history in run.parameters.items():
        if history.norm.max() > 1:
            yield LARGE.finding(f"{name} is large.", rules.Place("parameter", name), value=2.0, limit=1.0)


LARGE = rules.Rule(
    name="large-weights",
    title="Weights become large",
    severity=rules.Severity.SYMPTOM,
    formula="norm > 1",
    source="a test",
    needs="norms of parameters",
    advice=("Use weight decay.",),
    check=_check,
    priority=4,
)


class _EntryPoint:
    """What `importlib.metadata` returns for an installed package."""

    def __init__(self, name: str, value: object) -> None:
        self.name = name
        self._value = value

    def load(self) -> object:
        return self._value


def _install(monkeypatch: pytest.MonkeyPatch, *points: _EntryPoint) -> None:
    monkeypatch.setattr(catalogue, "entry_points", lambda *, group: points if group == "comgra_export.rules" else ())


def test_a_report_names_what_was_checked_and_what_was_not(tmp_path: Path) -> None:
    (report,) = comgra_export.findings(str(write_stuck_run(tmp_path)))
    assert (report.run, report.steps) == ("group/trial", 2)
    assert "never-updated" in {finding.rule for finding in report.findings}
    assert "exception-in-step" in report.passed
    assert "dead-relu" in report.not_checked


def test_without_a_step_no_rule_counts_as_passed(tmp_path: Path) -> None:
    RunByHand(tmp_path, [Given("x", "input")])
    (report,) = comgra_export.findings(tmp_path)
    assert (report.steps, report.findings, report.passed) == (0, (), ())
    assert report.not_checked["nan-origin"] == "no step was recorded"


def test_what_a_recording_lacks_is_told_apart_from_what_does_not_apply(tmp_path: Path) -> None:
    def without_dropout(_: rules.Run) -> Iterator[rules.Finding]:
        raise rules.NotCheckedError("no dropout", applies=False)

    def without_optimizer(_: rules.Run) -> Iterator[rules.Finding]:
        raise rules.NotCheckedError("no optimizer", lacks="optimizer")

    def without_reason(_: rules.Run) -> Iterator[rules.Finding]:
        raise rules.NotCheckedError("no luck")

    checks = {"a": without_dropout, "b": without_optimizer, "c": without_reason}
    chosen = [replace(LARGE, name=name, check=check) for name, check in checks.items()]
    write_stuck_run(tmp_path / "run")
    RunByHand(tmp_path / "empty", [Given("x", "input")])
    (report,) = comgra_export.findings(tmp_path / "run", rules=chosen)
    assert dict(report.not_checked) == {"a": "no dropout", "b": "no optimizer", "c": "no luck"}
    assert (report.does_not_apply, dict(report.lacking)) == (("a",), {"b": "no optimizer", "c": "no luck"})
    assert dict(report.how_to_record) == {"b": "Name the optimizer with `recorder.track_optimizers(optimizer)`."}
    # Without a step, nobody knows what the run has.
    (empty,) = comgra_export.findings(tmp_path / "empty", rules=chosen)
    assert (empty.does_not_apply, list(empty.lacking)) == ((), ["a", "b", "c"])
    # A page keeps the difference.
    path = comgra_export.export(tmp_path / "run", tmp_path / "page.html").path
    (trial,) = comgra_export.read(path).trials.values()
    (of_all,) = comgra_export.findings(tmp_path / "run")
    kept = trial.report()
    assert (kept.does_not_apply, kept.how_to_record) == (of_all.does_not_apply, of_all.how_to_record)
    assert "near-overflow" in kept.does_not_apply
    assert "no-gradient" in kept.how_to_record


def test_only_chosen_rules_are_checked(tmp_path: Path) -> None:
    write_stuck_run(tmp_path)
    (report,) = comgra_export.findings(tmp_path, rules=["never-updated", LARGE, "never-updated"])
    assert [(finding.rule, finding.place.name) for finding in report.findings] == [
        ("never-updated", "model.b"),
        ("large-weights", "model.a"),
        ("large-weights", "model.b"),
    ]
    assert (report.passed, dict(report.not_checked)) == ((), {})


def test_an_unknown_rule_is_answered_with_names_like_it(tmp_path: Path) -> None:
    with pytest.raises(WrongChoiceError, match=r"no rule 'never-update'. Did you mean 'never-updated'"):
        comgra_export.findings(write_stuck_run(tmp_path), rules=["never-update"])


def test_a_folder_without_a_recording_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotARecordingError):
        comgra_export.findings(tmp_path)


def test_the_file_of_the_working_directory_mutes_unless_mutes_are_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recordings = write_stuck_run(tmp_path / "recordings")
    (tmp_path / "comgra-findings.toml").write_text('[[mute]]\nrule = "never-updated"\nnode = "*.b"\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    (muted,) = comgra_export.findings(recordings, rules=["never-updated"])
    assert (muted.findings, dict(muted.muted), muted.passed) == ((), {"never-updated": 1}, ())
    (shown,) = comgra_export.findings(recordings, rules=["never-updated"], mutes=[rules.Mute(node="*.a")])
    assert (len(shown.findings), dict(shown.muted)) == (1, {})


def test_rules_of_installed_packages_are_checked_with_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, _EntryPoint("large-weights", LARGE))
    (report,) = comgra_export.findings(write_stuck_run(tmp_path))
    assert {"large-weights", "never-updated"} <= {finding.rule for finding in report.findings}
    (report,) = comgra_export.findings(tmp_path, rules=["large-weights"])
    assert {finding.rule for finding in report.findings} == {"large-weights"}


@pytest.mark.parametrize(("value", "words"), [(_check, "is a function. Give a Rule"), (replace(LARGE, name="dead-relu"), "Rename it")])
def test_an_entry_point_that_is_no_new_rule_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: object, words: str) -> None:
    _install(monkeypatch, _EntryPoint("mine", value))
    with pytest.raises(MisuseError, match=f"'mine'.*{words}"):
        comgra_export.findings(write_stuck_run(tmp_path))


def test_an_entry_point_that_cannot_be_loaded_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point = _EntryPoint("mine", None)
    monkeypatch.setattr(point, "load", lambda: 1 / 0)
    _install(monkeypatch, point)
    with pytest.raises(MisuseError, match=r"'mine'.*cannot be loaded \(ZeroDivisionError\)"):
        comgra_export.findings(write_stuck_run(tmp_path))


def test_progress_counts_the_steps_of_all_trials(tmp_path: Path) -> None:
    write_trial(tmp_path, "first")
    write_trial(tmp_path, "second")
    seen: list[tuple[int, int]] = []
    assert [run.name for run in iterate_runs(open_trials(tmp_path), lambda *counts: seen.append(counts))] == ["group/first", "group/second"]
    assert seen == [(number, 6) for number in range(1, 7)]
