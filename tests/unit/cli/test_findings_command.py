"""`comgra-export findings`."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comgra_export.analysis.findings.as_json import reports_as_json
from comgra_export.analysis.findings.plain_text import as_sentence
from comgra_export.cli import findings as command
from comgra_export.cli.console import out
from comgra_export.rules import Evidence, Finding, Incident, Place, Report, Severity
from comgra_export.storage import SourceLine
from support.analysis.runs import Given, RunByHand
from support.analysis.samples import record_samples
from support.analysis.stuck import write_stuck_run
from support.cli.run import Run
from support.exporter.unpacker import Bundle
from support.places import CHECKOUT

NO_LOSS_FUNCTION = "the loss functions that this rule checks were not used"
NEVER_UPDATED = "bug: A parameter has gradients and never changes (never-updated)"
CAUSE = Finding(
    rule="never-updated",
    severity=Severity.PROBLEM,
    message="A message.",
    places=(Place("tensor", "a", 2), *(Place("parameter", f"p{number}") for number in range(4))),
    advice=("Do this.", "Do that."),
    wrong_if="It is blue.",
    step=1200,
    value=float("nan"),
    limit=0.5,
    comparison="Otherwise 0.1.",
    evidence=(Evidence("forward", "a", 2, 1200, "abs_mean", "Look."),),
    look_next=(Place("module", "m"), Place("tensor", "b", 0)),
)
CONSEQUENCE = replace(CAUSE, rule="dead-relu", severity=Severity.SYMPTOM, step=None, value=None, limit=None)
REPORT = Report("g/t", (Incident(CAUSE, (CONSEQUENCE,)), Incident(CONSEQUENCE)), ("nan-origin",), {"tied": "no"}, {"x": 2}, 7, ("Bad.",))


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    return write_stuck_run(tmp_path / "recordings")


def test_a_finding_is_printed_with_what_to_try(run: Run, recordings: Path) -> None:
    done = run("findings", recordings)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "group/trial"
    begin = lines.index(NEVER_UPDATED)
    assert lines[begin + 1 : begin + 5] == [
        "    'model.b' has a gradient in the recorded steps, and its values never change.",
        "    where: parameter model.b",
        "    since: step 0",
        "    try: Pass all parameters to the optimizer: 'model.parameters()'.",
    ]


@pytest.mark.parametrize("options", [(), ("--jobs", "2")])
def test_runs_with_the_same_names_in_different_folders_are_reported_apart(run: Run, tmp_path: Path, options: tuple[str, ...]) -> None:
    for folder in ("monday", "tuesday"):
        write_stuck_run(tmp_path / "runs" / folder)
    done = run("findings", tmp_path / "runs", *options)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith("group/")] == ["group/trial, in monday", "group/trial (2), in tuesday"]
    assert lines.count(NEVER_UPDATED) == 2


def test_a_copy_of_a_rank_is_a_run_of_its_own(run: Run, tmp_path: Path) -> None:
    write_stuck_run(tmp_path / "runs")
    trial = tmp_path / "runs" / "group" / "trial"
    shutil.copytree(trial / "rank-0", trial / "rank-0-copy")
    names = ["group/trial, in group/trial/rank-0", "group/trial (2), in group/trial/rank-0-copy"]
    done = run("findings", tmp_path / "runs")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in done.stdout.splitlines() if line.startswith("group/")] == names
    reports = json.loads(run("findings", tmp_path / "runs", "--json").stdout)["runs"]
    assert [f"{report['run']}, in {report['folder']}" for report in reports] == names


@pytest.mark.parametrize("command", ["inspect", "verify"])
def test_other_commands_say_too_which_run_is_which(run: Run, tmp_path: Path, command: str) -> None:
    for folder in ("monday", "tuesday"):
        write_stuck_run(tmp_path / "runs" / folder)
    done = run(command, tmp_path / "runs")
    assert (done.returncode, done.stderr) == (0, "")
    for folder in ("monday", "tuesday"):
        assert sum(f", in {folder}: " in line for line in done.stdout.splitlines()) == 1
        # The table of a recording says it, too.
        assert done.stdout.splitlines().count(f"group / trial, in {folder}") == (command == "inspect")
    document = json.loads(run(command, tmp_path / "runs", "--json").stdout)
    assert [each["folder"] for each in document["trials" if command == "inspect" else "recordings"]] == ["monday", "tuesday"]
    # A single run needs no folder.
    assert ", in " not in run(command, tmp_path / "runs" / "monday").stdout


@pytest.mark.parametrize("options", [(), ("--jobs", "2")])
def test_one_trial_is_chosen(run: Run, tmp_path: Path, options: tuple[str, ...]) -> None:
    runs = tmp_path / "runs"
    for folder in ("monday", "tuesday"):
        write_stuck_run(runs / folder)
    healthy = RunByHand(runs / "monday", [Given("x", "input")], trial="healthy")
    healthy.step(0, {"x": np.ones((2, 3))})
    healthy.read()
    for name, full in (
        ("healthy", "group/healthy"),
        ("group/trial", "group/trial, in monday"),
        ("group/trial (2)", "group/trial (2), in tuesday"),
    ):
        done = run("findings", runs, "--trial", name, *options)
        assert [line for line in done.stdout.splitlines() if line.startswith("group/")] == [full]
        assert (NEVER_UPDATED in done.stdout) == (name != "healthy")
    done = run("findings", runs, "--trial", "healty", "--fail-on", "bug")
    assert (done.returncode, done.stdout) == (2, "")
    assert "There is no trial 'healty'. Did you mean 'group/healthy'?" in done.stderr
    assert run("findings", runs, "--trial", "healthy", "--fail-on", "bug", *options).returncode == 0


def test_rules_that_were_not_checked_are_grouped_by_reason_and_listed_if_asked(run: Run, recordings: Path) -> None:
    (document,) = json.loads(run("findings", recordings, "--json").stdout)["runs"]
    others = document["does_not_apply"]
    reasons = Counter(reason for name, reason in document["not_checked"].items() if name not in others)
    short = run("findings", recordings).stdout.splitlines()
    begin = next(place for place, line in enumerate(short) if "could not be checked" in line)
    count = f"{reasons.total()} rules could not be checked; --all lists every rule."
    assert short[begin] == f"{count} The first 3 of {len(reasons)} reasons:"
    most, often = reasons.most_common(1)[0]
    assert (often > 2, short[begin + 1]) == (True, f"    {most}: {often} rules")
    # Below a reason stands what to record.
    assert "        try: Train for more steps, or record more of them: every=1 records each." in [line.replace("'", "") for line in short]
    end = short.index(f"{len(others)} rules do not apply to this run, as far as the recording shows.")
    assert [line for line in short[begin + 1 : end] if not line.startswith("    ")] == []
    assert "exception-in-step" not in "".join(short)
    full = run("findings", recordings, "--all").stdout
    lacking, _, applying = full.partition(f"{len(others)} rules do not apply to this run, as far as the recording shows:\n")
    assert f"    diverging-loss: {as_sentence(NO_LOSS_FUNCTION)}\n" in applying
    assert (
        "    linear-after-linear: No calls of modules were recorded. "
        "Record the network with 'watch(model, path)', or with 'recorder.watch(model)'.\n"
    ) in lacking
    assert "    exception-in-step: looked for: An exception ended the script, or was caught\n" in lacking


def test_json_tells_apart_what_lacks_and_what_does_not_apply(run: Run, recordings: Path) -> None:
    (document,) = json.loads(run("findings", recordings, "--json").stdout)["runs"]
    assert "diverging-loss" in document["does_not_apply"]
    assert set(document["does_not_apply"]) < set(document["not_checked"])
    assert document["how_to_record"]["linear-after-linear"].startswith("Record the network with `watch(model, path)`")
    assert not document["how_to_record"].keys() & set(document["does_not_apply"])


def test_nothing_found_names_its_limits(run: Run, recordings: Path) -> None:
    done = run("findings", recordings, "--rule", "exception-in-step", "--rule", "dead-relu")
    assert "Nothing was found. 1 rule checked on 2 steps. The run may still be wrong" in done.stdout
    why = "no result of a ReLU was recorded; if there is one, register its result, or use 'torch.nn.ReLU'"
    assert "\n1 rule does not apply to this run, as far as the recording shows.\n" in done.stdout
    every = run("findings", recordings, "--rule", "exception-in-step", "--rule", "dead-relu", "--all").stdout
    assert f"1 rule does not apply to this run, as far as the recording shows:\n    dead-relu: {as_sentence(why)}\n" in every
    unknown = run("findings", recordings, "--rule", "dead-relu").stdout
    assert "No rule could be checked on 2 steps, so nothing is known about this run." in unknown
    assert "Nothing was found" not in unknown


@pytest.mark.parametrize(
    ("rule", "severity", "code"),
    [
        ("never-updated", "bug", 5),
        ("never-updated", "symptom", 5),
        ("exception-in-step", "symptom", 0),
    ],
)
def test_the_exit_code_names_what_was_asked_for(run: Run, recordings: Path, rule: str, severity: str, code: int) -> None:
    assert run("findings", recordings, "--rule", rule, "--fail-on", severity).returncode == code


@pytest.mark.parametrize(("severity", "code"), [("bug", 0), ("problem", 5), ("symptom", 5)])
def test_lower_severities_do_not_fail(run: Run, recordings: Path, monkeypatch: pytest.MonkeyPatch, severity: str, code: int) -> None:
    report = replace(REPORT, incidents=(Incident(CAUSE),), problems=())
    monkeypatch.setattr(command, "iterate_reports", lambda *_, **__: iter([report]))
    assert run("findings", recordings, "--fail-on", severity).returncode == code


def test_muted_findings_are_counted_and_do_not_fail(run: Run, recordings: Path, tmp_path: Path) -> None:
    (tmp_path / "comgra-findings.toml").write_text('[[mute]]\nrule = "never-updated"\n', "utf-8")
    done = run("findings", recordings, "--rule", "never-updated", "--fail-on", "symptom")
    assert done.returncode == 0
    assert "Nothing new was found. 1 rule checked on 2 steps." in done.stdout
    assert "1 finding muted: never-updated (1)." in done.stdout
    (document,) = json.loads(run("findings", recordings, "--rule", "never-updated", "--json").stdout)["runs"]
    assert (document["muted"], document["passed"], document["findings"]) == ({"never-updated": 1}, [], [])
    (tmp_path / "other.toml").write_text("", "utf-8")
    assert NEVER_UPDATED in run("findings", recordings, "--config", "other.toml").stdout


def test_a_page_is_built_without_what_is_muted(run: Run, recordings: Path, tmp_path: Path) -> None:
    (tmp_path / "comgra-findings.toml").write_text('[[mute]]\nrule = "never-updated"\n', "utf-8")
    assert run("build", recordings, "-o", "report.html").returncode == 0
    bundle = Bundle(tmp_path / "report.html")
    document = bundle.document(bundle.trial("trial")["findings"])
    assert [(each["rule"], each["findings"]) for each in document["muted"]] == [("never-updated", 1)]
    # Readers without JavaScript know of it, too.
    assert "Muted findings: 1." in (tmp_path / "report.html").read_text("utf-8")
    (tmp_path / "comgra-findings.toml").write_text("[[mute", "utf-8")
    done = run("build", recordings, "-o", "other.html")
    assert (done.returncode, done.stdout) == (2, "")
    assert "comgra-findings.toml is not TOML" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--rule", "dead-rel"), "no rule 'dead-rel'. Did you mean 'dead-relu'"),
        (("--config", "wrong.toml"), "wrong.toml, [[mute]] number 1: there is no rule 'dead-rel'. Did you mean 'dead-relu'"),
        (("--config", "nowhere.toml"), "nowhere.toml cannot be read"),
        (("--rule", "nan"), "no rule 'nan'. Did you mean 'nan-origin'?"),
        (("--fail-on", "error"), "Invalid value for '--fail-on': 'error' is not one of"),
    ],
)
def test_wrong_usage_is_answered_in_words(run: Run, recordings: Path, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    (tmp_path / "wrong.toml").write_text('[[mute]]\nrule = "dead-rel"\n', "utf-8")
    done = run("findings", recordings, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


def test_sarif_is_written_besides_and_what_has_no_line_is_counted(
    run: Run, recordings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "findings.sarif"
    done = run("findings", recordings, "--rule", "never-updated", "--sarif", file)
    assert done.returncode == 0
    assert NEVER_UPDATED in done.stdout
    warning = "warning: 1 of 1 finding has no line of the code, so it is not in findings.sarif. Lines are recorded with source=True.\n"
    assert done.stderr == warning
    assert json.loads(file.read_text())["runs"][0]["results"] == []
    source = SourceLine("net\x1b.py", 41, "forward")
    located = replace(CAUSE, places=(Place("tensor", "a", 2, source),))
    report = replace(REPORT, incidents=(Incident(located, (CONSEQUENCE,)), Incident(CONSEQUENCE)), problems=())
    monkeypatch.setattr(command, "iterate_reports", lambda *_, **__: iter([report]))
    done = run("findings", recordings, "--sarif", file)
    assert "    where: tensor a in iteration 2 (net\\x1b.py:41 in forward)\n" in done.stdout
    assert "2 of 3 findings have no line of the code, so they are not in findings.sarif." in done.stderr
    (result,) = json.loads(file.read_text())["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("never-updated", "warning")


def test_sarif_that_cannot_be_written_is_an_error_in_words(run: Run, recordings: Path, tmp_path: Path) -> None:
    done = run("findings", recordings, "--sarif", tmp_path / "nowhere" / "findings.sarif")
    assert done.returncode == 4
    assert "findings.sarif cannot be written: No such file or directory. Give another file." in done.stderr


def test_a_rule_that_failed_comes_first(run: Run, recordings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reasons = {**{f"rule-{number}": f"reason {number // 2}" for number in range(10)}, "my-own": "the rule failed (KeyError: 'x')"}
    monkeypatch.setattr(command, "iterate_reports", lambda *_, **__: iter([replace(REPORT, not_checked=reasons, problems=())]))
    lines = run("findings", recordings).stdout.splitlines()
    begin = lines.index("11 rules could not be checked; --all lists every rule. The first 3 of 6 reasons:")
    assert lines[begin + 1 : begin + 4] == [
        "    the rule failed (KeyError: 'x'): my-own",
        "    reason 0: rule-0, rule-1",
        "    reason 1: rule-2, rule-3",
    ]


def test_a_recording_without_a_step_says_what_to_do(run: Run, tmp_path: Path) -> None:
    RunByHand(tmp_path / "empty", []).read()
    done = run("findings", "empty", "--fail-on", "symptom")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[2:-1] == [
        "No step was recorded, so nothing could be checked.",
        "    Was the watched module itself called, as in model(x)? Or, with a ComgraRecorder, start_batch?",
        "    Did the schedule ask for a step? every=1 records each of them.",
        "    Was finalize() reached, or the end of the with block? Until then, steps may not be written.",
    ]
    assert "could not be checked:\n    softmax-before" in run("findings", "empty", "--all").stdout
    (document,) = json.loads(run("findings", "empty", "--json").stdout)["runs"]
    assert (document["steps"], len(document["not_checked"]) > 50) == (0, True)


def test_a_step_that_cannot_be_read_is_named(run: Run, recordings: Path) -> None:
    damaged = next(file for file in recordings.rglob("*.safetensors") if "5" in file.stem)
    damaged.write_bytes(b"")
    done = run("findings", recordings)
    assert done.returncode == 3
    assert "Step 5 is damaged" in done.stderr
    assert "1 step" in done.stdout


def test_consequences_are_a_line_below_their_cause(run: Run, recordings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = replace(REPORT, incidents=(Incident(replace(CAUSE, value=0.75), (replace(CONSEQUENCE, step=3),)),))
    monkeypatch.setattr(command, "iterate_reports", lambda *_, **__: iter([report]))
    lines = run("findings", recordings).stdout.splitlines()
    assert lines[2:12] == [
        "problem: A parameter has gradients and never changes (never-updated)",
        "    A message.",
        "    where: tensor a in iteration 2, parameter p0, parameter p1 and 2 more (5 places)",
        "    since: step 1,200",
        "    look next: module m, tensor b",
        "    measured: 0.75 (limit: 0.5). Otherwise 0.1.",
        "    try: Do this.",
        "         Do that.",
        "    wrong if: It is blue.",
        "    probably follows: symptom since step 3, dead-relu, tensor a in iteration 2",
    ]


def test_one_rule_that_found_something_is_not_counted_as_none(run: Run, recordings: Path) -> None:
    done = run("findings", recordings, "--rule", "never-updated", "--sarif", "findings.sarif")
    assert NEVER_UPDATED in done.stdout
    assert "found nothing" not in done.stdout


def test_code_has_quotes_instead_of_backticks(run: Run, recordings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cause = replace(CAUSE, message="`a: b` is the `log` of `", advice=("Call `f()`.",), comparison="usually `c`")
    report = replace(REPORT, incidents=(Incident(replace(cause, value=2.0)),))
    monkeypatch.setattr(command, "iterate_reports", lambda *_, **__: iter([report]))
    printed = run("findings", recordings).stdout
    assert "    'a: b' is the 'log' of `\n" in printed
    assert "    measured: 2 (limit: 0.5). Usually 'c'.\n" in printed
    assert "    try: Call 'f()'.\n" in printed


def test_texts_of_a_recording_have_no_power_over_the_terminal(run: Run, recordings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = replace(CAUSE, message="\x1b[31mred [bold]", places=(Place("tensor", "\x1b]0;title\x07"),))
    monkeypatch.setattr(command, "iterate_reports", lambda *_, **__: iter([replace(REPORT, incidents=(Incident(hostile),))]))
    printed = run("findings", recordings).stdout
    assert "\x1b" not in printed
    assert "\\x1b[31mred [bold]" in printed


def test_a_terminal_gets_long_texts_beside_their_label(run: Run, recordings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"_force_terminal": True, "_width": 60, "_height": 30}.items():
        monkeypatch.setattr(out, name, value)
    lines = run("findings", recordings).stdout.splitlines()
    assert max(map(len, lines)) <= 60
    assert any(line.startswith("    ") and "never change." in line for line in lines)


def _first(document: dict[str, Any], key: str) -> Any:  # noqa: ANN401
    return document["runs"][0][key]


def test_the_json_holds_all_that_a_report_does() -> None:
    document = json.loads(reports_as_json([REPORT]))
    assert (document["format"], document["version"]) == ("comgra-findings", 1)
    assert _first(document, "incidents") == [{"cause": 0, "consequences": [1]}, {"cause": 2, "consequences": []}]
    assert _first(document, "findings")[0] == {
        "rule": "never-updated",
        "severity": "problem",
        "message": "A message.",
        "places": [
            {"kind": "tensor", "name": "a", "iteration": 2, "source": None},
            *({"kind": "parameter", "name": f"p{number}", "iteration": None, "source": None} for number in range(4)),
        ],
        "look_next": [
            {"kind": "module", "name": "m", "iteration": None, "source": None},
            {"kind": "tensor", "name": "b", "iteration": 0, "source": None},
        ],
        "step": 1200,
        "value": "NaN",
        "limit": 0.5,
        "comparison": "Otherwise 0.1.",
        "margin": "Infinity",
        "advice": ["Do this.", "Do that."],
        "wrong_if": "It is blue.",
        "evidence": [
            {"group": "forward", "name": "a", "iteration": 2, "step": 1200, "item": "abs_mean", "caption": "Look.", "sample": None}
        ],
    }
    assert [finding["value"] for finding in _first(document, "findings")[1:]] == [None, None]
    rest = {key: _first(document, key) for key in ("run", "steps", "passed", "not_checked", "muted", "problems")}
    assert rest == {
        "run": "g/t",
        "steps": 7,
        "passed": ["nan-origin"],
        "not_checked": {"tied": "no"},
        "muted": {"x": 2},
        "problems": ["Bad."],
    }


def test_the_json_is_ascii_and_takes_numbers_of_numpy() -> None:
    finding = replace(CAUSE, message="\u202e\x9bé", step=np.int64(3), value=np.float32(0.5), limit=np.float64("inf"))
    text = reports_as_json([replace(REPORT, incidents=(Incident(finding),))])
    assert text.isascii()
    (read,) = _first(json.loads(text), "findings")
    assert [read[key] for key in ("message", "step", "value", "limit")] == ["\u202e\x9bé", 3, 0.5, "Infinity"]


def test_the_page_about_findings_names_every_key() -> None:
    page = (CHECKOUT / "docs" / "findings.md").read_text("utf-8")
    section = page.partition("## JSON")[2].partition("\n## ")[0]
    document = json.loads(reports_as_json([REPORT]))
    run = document["runs"][0]
    keys = [*document, *run, *run["findings"][0], *run["findings"][0]["evidence"][0], *run["findings"][0]["places"][0]]
    assert [key for key in keys if f"`{key}`" not in section] == []


def test_associations_have_a_section_of_their_own_and_no_severity(run: Run, tmp_path: Path) -> None:
    record_samples(tmp_path / "recordings").read()
    done = run("findings", tmp_path / "recordings", "--fail-on", "symptom", "--rule", "exception-in-step")
    assert "Associations" not in done.stdout
    lines = run("findings", tmp_path / "recordings").stdout.splitlines()
    begin = lines.index("Associations")
    assert lines[begin + 1].startswith("    Associations only: they may reflect difficulty, rarity or labels")
    assert any(line.startswith("    Samples of category hard had higher loss in ") for line in lines[begin:])
    assert "    Categories of samples and the loss: 1 of 1 pair passed, at most about 0.05 of them by chance." in lines[begin:]
    reason = "24 training steps were recorded, and it needs 40"
    assert f"    Not checked: statistics of steps and the loss. {reason}." in lines[begin:]
    document = json.loads(run("findings", tmp_path / "recordings", "--json").stdout)["runs"][0]["associations"]
    assert {each["family"] for each in document["reported"]} == {"category", "event"}
    (category,) = [each for each in document["reported"] if each["family"] == "category"]
    assert (category["measure"], category["samples"], len(category["phases"])) == ("AUC", 384, 3)
    assert document["checked"]["category"] == {
        "pairs": 1,
        "passed": 1,
        "smallest": document["checked"]["category"]["smallest"],
        "left_out": 0,
    }
    assert (document["not_checked"], document["more"], document["notes"]) == ({"step": reason}, 0, [])
