"""What is wrong in a trial, as a bundle holds it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export import findings
from comgra_export.analysis.findings import catalogue
from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.model.rule import Rule
from comgra_export.errors import WrongChoiceError
from comgra_export.exporter import export
from comgra_export.reading import read
from support.analysis.runs import Given, RunByHand
from support.analysis.samples import record_samples
from support.exporter.unpacker import Bundle

TENSORS = [Given("model.a", "parameter"), Given("model.b", "parameter"), Given("loss", "loss", parents=("model.a", "model.b"))]
VALUES = {"model.a": np.eye(3), "model.b": np.arange(9).reshape(3, 3), "loss": 1.0}


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """`model.b` has a gradient and never changes."""
    written = RunByHand(tmp_path / "runs", TENSORS)
    for step in (0, 5):
        written.step(step, VALUES, {"model.a": 0.1, "model.b": 0.1}, updates={"model.a": (2, 0.01), "model.b": (2, 0.0)})
    written.read()
    return tmp_path / "runs"


def _failing(message: str) -> Rule:
    def check(_: object) -> list[None]:
        raise ValueError(message)

    return Rule(
        name="own-rule", title="A rule of somebody", severity=Severity.BUG, formula="", source="", needs="", advice=("x",),
        check=check, priority=1,  # type: ignore[arg-type]
    )  # fmt: skip


def test_the_bundle_says_what_is_wrong(recording: Path, tmp_path: Path) -> None:
    export(recording, tmp_path / "report.html")
    bundle = Bundle(tmp_path / "report.html")
    document = bundle.document(bundle.trial("trial")["findings"])
    (cause,) = [incident["cause"] for incident in document["incidents"] if incident["cause"]["rule"] == "never-updated"]
    assert cause["places"] == [{"kind": "parameter", "name": "model.b", "iteration": None, "source": None}]
    assert (cause["step"], cause["severity"], cause["value"], cause["limit"]) == (0, 3, None, None)
    # The values that stay, and then the gradient.
    assert [view | {"caption": ""} for view in cause["evidence"]] == [
        {"group": group, "name": "model.b", "iteration": -1, "step": 0, "item": "abs_mean", "caption": "", "sample": None}
        for group in ("forward", "gradients")
    ]
    assert cause["wrong_if"] == next(rule.wrong_if for rule in catalogue.all_rules() if rule.name == "never-updated") != ""
    assert document["steps"] == 2
    # In the index too, so that a page knows it of trials that are not open.
    causes = [incident["cause"] for incident in document["incidents"]]
    assert bundle.trial("trial")["problems"] == sum(cause["severity"] >= 2 for cause in causes) > 0
    assert bundle.trial("trial")["worst"] == max(cause["severity"] for cause in causes) == 3
    with_findings = {finding["rule"] for each in document["incidents"] for finding in (each["cause"], *each["consequences"])}
    others = [entry["rule"] for kind in ("passed", "not_checked") for entry in document[kind]]
    assert sorted([*with_findings, *others]) == sorted(rule.name for rule in catalogue.all_rules())


def test_associations_stand_beside_the_findings(tmp_path: Path) -> None:
    record_samples(tmp_path / "samples").read()
    export(tmp_path / "samples", tmp_path / "report.html")
    bundle = Bundle(tmp_path / "report.html")
    together = bundle.document(bundle.trial("trial")["findings"])["associations"]
    (report,) = findings(tmp_path / "samples")
    assert report.associations is not None
    assert [each["message"] for each in together["reported"]] == [each.message for each in report.associations.reported]
    assert together["reported"][0]["evidence"][0]["group"] == "forward"
    checks = [check.sentence for check in report.associations.checked.values()]
    assert [each["result"] for each in together["checked"]] == checks
    assert [each["title"] for each in together["not_checked"]] == ["statistics of steps and the loss"]
    # Nothing is lost by sharing only the page.
    (trial,) = read(tmp_path / "report.html").trials.values()
    assert trial.report().associations == report.associations


def test_associations_that_fail_stop_neither_an_export_nor_a_report(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise ZeroDivisionError(str(tmp_path))

    for place in ("comgra_export.exporter.findings.add", "comgra_export.analysis.findings.reports"):
        monkeypatch.setattr(f"{place}.associate", fail)
    result = export(recording, tmp_path / "report.html")
    bundle = Bundle(tmp_path / "report.html")
    assert bundle.document(bundle.trial("trial")["findings"])["associations"] is None
    assert result.problems == ("trial: what goes together was not looked for. ZeroDivisionError",)
    (report,) = findings(recording)
    assert report.problems == ("what goes together was not looked for (ZeroDivisionError)",)
    assert report.findings


def test_rules_of_others_that_cannot_be_loaded_do_not_stop_an_export(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        name = "mine"

        def load(self) -> None:
            raise ImportError("no /home/jane/rules.py")

    monkeypatch.setattr(catalogue, "entry_points", lambda **_: [Broken()])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "comgra-findings.toml").write_text('[[mute]]\nrule = "mine"\n', "utf-8")
    result = export(recording, tmp_path / "report.html")
    problem, muted = result.problems
    assert muted == "Nothing is muted: comgra-findings.toml is not understood without the rules of other packages."
    assert problem.startswith("Rules of other packages were not checked.")
    assert "'mine'" in problem
    assert "jane" not in problem
    bundle = Bundle(tmp_path / "report.html")
    document = bundle.document(bundle.trial("trial")["findings"])
    assert "never-updated" in {incident["cause"]["rule"] for incident in document["incidents"]}


def test_steps_that_are_left_out_count(recording: Path, tmp_path: Path) -> None:
    export(recording, tmp_path / "report.html", steps="5")
    bundle = Bundle(tmp_path / "report.html")
    trial = bundle.trial("trial")
    assert trial["steps"]["step"] == [5]
    assert bundle.document(trial["findings"])["steps"] == 2


def test_the_same_recording_gives_the_same_bytes(recording: Path, tmp_path: Path) -> None:
    for name in ("one.html", "two.html"):
        export(recording, tmp_path / name)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_a_rule_that_fails_stops_no_export_and_says_nothing_of_the_machine(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = _failing(f"cannot open {tmp_path}/secret")
    monkeypatch.setattr("comgra_export.exporter.findings.add.all_rules", lambda: (failing,))
    export(recording, tmp_path / "report.html")
    bundle = Bundle(tmp_path / "report.html")
    assert bundle.document(bundle.trial("trial")["findings"])["not_checked"] == [
        {"rule": "own-rule", "title": "A rule of somebody", "reason": "the rule failed (ValueError)", "applies": True, "how_to_record": ""}
    ]


def test_what_is_muted_beside_the_working_directory_is_counted(recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    settings = tmp_path / "comgra-findings.toml"
    settings.write_text('[[mute]]\nrule = "never-updated"\nnode = "model.b"\n', "utf-8")
    export(recording, tmp_path / "report.html")
    bundle = Bundle(tmp_path / "report.html")
    document = bundle.document(bundle.trial("trial")["findings"])
    assert document["muted"] == [{"rule": "never-updated", "title": "A parameter has gradients and never changes", "findings": 1}]
    assert "never-updated" not in {finding["rule"] for each in document["incidents"] for finding in (each["cause"], *each["consequences"])}
    settings.write_text('[[mute]]\nrule = "never-updatet"\n', "utf-8")
    with pytest.raises(WrongChoiceError, match="there is no rule 'never-updatet'"):
        export(recording, tmp_path / "other.html")
    assert not (tmp_path / "other.html").exists()


def test_findings_are_those_of_all_steps_that_are_there_when_it_is_built_again(tmp_path: Path) -> None:
    written = RunByHand(tmp_path / "runs", TENSORS)

    def build(step: int, loss: float) -> dict[str, int]:
        written.step(step, VALUES | {"loss": loss}, {"model.a": 0.1, "model.b": 0.1}, updates={"model.a": (2, 0.01), "model.b": (2, 0.01)})
        written.read()
        bundle = Bundle(export(tmp_path / "runs", tmp_path / "report.html", force=True).path)
        document = bundle.document(bundle.trial("trial")["findings"])
        assert document["steps"] == step + 1
        return {each["cause"]["rule"]: each["cause"]["step"] for each in document["incidents"]}

    assert "nan-origin" not in build(0, 1.0)
    assert build(1, float("nan"))["nan-origin"] == 1
