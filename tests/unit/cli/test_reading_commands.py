"""The commands that print what was recorded, of recordings and of bundles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comgra_export.analysis.findings.catalogue import all_rules
from comgra_export.cli import findings as command
from comgra_export.cli.console import out
from comgra_export.exporter import export
from support.analysis.runs import RunByHand
from support.analysis.stuck import write_stuck_run
from support.cli.run import Run
from support.reading.small_run import STEPS, TENSORS, gradients, numbers, write_small_run


@pytest.fixture(params=["recording", "report.html", "report.zip", "report"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The same run as a recording, and as each shape of a bundle."""
    root = write_small_run(tmp_path / "runs")
    if request.param == "recording":
        return root
    export(root, tmp_path / request.param)
    return tmp_path / str(request.param)


def as_json(done: Any) -> dict[str, Any]:  # noqa: ANN401
    assert done.stderr == ""
    content: dict[str, Any] = json.loads(done.stdout)
    assert content["version"] == 1
    return content


def test_values(run: Run, path: Path) -> None:
    done = run("values", path, "--tensor", "x", "--step", "10")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "group/trial: x in step 10, forward"
    assert "  float32 [4, 3], samples 0, 1, 2, 3 of the batch:" in lines
    content = as_json(run("values", path, "--tensor", "x", "--step", "10", "--json"))
    x = numbers(10)["x"]
    np.testing.assert_array_equal(np.array(content["values"], np.float32), x)
    assert (content["trial"], content["step"], content["shape"], content["samples"]) == ("group/trial", 10, [4, 3], [0, 1, 2, 3])
    assert content["statistics"]["mean"]["mean"] == pytest.approx(x.astype(np.float64).mean(), rel=1e-6)
    assert (content["min"], content["count"]) == (x.min(), 12)


def test_gradients(run: Run, path: Path) -> None:
    content = as_json(run("values", path, "--tensor", "h", "--step", "20", "--group", "gradients", "--json"))
    assert content["values"] == gradients(20)["h"].tolist()  # type: ignore[union-attr]
    content = as_json(run("values", path, "--tensor", "model.weight", "--step", "10", "--group", "gradients", "--json"))
    assert (content["is_absent"], content["values"]) == (True, None)
    assert content["missing"] == "'model.weight' had no gradient of 'gradients' in step 10. This is not a gradient of 0."


def test_numbers_that_are_not_finite_are_texts(run: Run, path: Path) -> None:
    content = as_json(run("values", path, "--tensor", "h", "--step", "20", "--json"))
    assert content["values"][1] == ["NaN", "Infinity"]
    assert content["statistics"]["mean"]["mean"] == "NaN"


def test_what_is_not_there_is_wrong_usage(run: Run, path: Path) -> None:
    done = run("values", path, "--tensor", "y", "--step", "10")
    assert (done.returncode, done.stdout) == (2, "")
    assert "There is no tensor 'y' in step 10" in done.stderr
    done = run("values", path, "--tensor", "x", "--step", "11")
    assert done.returncode == 2
    assert done.stderr == "error: Step 11 was not recorded. Recorded: 0 to 20, with 1 evaluation; the nearest are 10 and after 10.\n"
    done = run("curves", path, "--trial", "trail")
    assert done.returncode == 2
    assert "Did you mean 'group/trial'?" in done.stderr


def test_a_tensor_without_values_has_statistics(run: Run, path: Path) -> None:
    content = as_json(run("values", path, "--tensor", "seen", "--step", "0", "--json"))
    assert content["values"] is None
    assert content["max"] == numbers(0)["seen"].max()
    assert content["missing"].startswith("Only statistics of 'seen' were recorded in step 0. Values are recorded by watch with values=True")


def test_curves(run: Run, path: Path) -> None:
    content = as_json(run("curves", path, "--json"))
    assert content["trials"] == [
        {"trial": "group/trial", "curves": [{"curve": "train", "group": "loss", "type": "train", "t": [0, 10], "value": [1, "NaN"]}]}
    ]
    done = run("curves", path)
    assert done.stdout.splitlines()[2].split() == ["train", "loss", "train", "2", "1", "at", "0", "nan", "at", "10", "1", "1"]


@pytest.mark.parametrize("command", ["curves", "inspect"])
def test_nothing_of_a_table_is_cut_off_the_terminal(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    trial, curve = "a trial with a name " * 8 + "x", "accuracy of the validation " * 5 + "y"
    written = RunByHand(tmp_path / "runs", TENSORS[:1], trial=trial)
    written.step(0, {"x": numbers(0)["x"]})
    written.curve(curve, {0: 0.123456, 100000: 1.23456e-12})
    written.read()
    monkeypatch.setattr(out, "_width", 80)
    lines = [line.strip() for line in run(command, "runs").stdout.splitlines()]
    if command == "curves":
        assert lines[0] == f"group/{trial}"
        assert lines[2].split("  ")[0] == curve
        assert lines[2].endswith("0.123456 at 0  1.23456e-12 at 100000  1.23456e-12  0.123456")
    else:
        assert lines[3] == f"group / {trial}"
    monkeypatch.setattr(out, "_force_terminal", True)
    monkeypatch.setattr(out, "_height", 30)
    shown = run(command, "runs").stdout.splitlines()
    assert all(len(line) <= 80 for line in shown[4:])


def test_the_graph(run: Run, path: Path) -> None:
    assert run("graph", path).stdout.splitlines() == [
        "group/trial: step 20",
        "  x (input)",
        "  model.weight (parameter)",
        "  h (calculated) <- x, model.weight",
        "  seen (calculated) <- h (no gradient), maybe more, not known",
        "  loss (loss) <- h",
    ]
    content = as_json(run("graph", path, "--step", "0", "--json"))
    assert [node["not_known"] for node in content["nodes"]] == ["", "", "", "outside", ""]
    assert [(edge["source"], edge["target"], edge["has_gradient"]) for edge in content["edges"]] == [
        ("x", "h", True),
        ("model.weight", "h", True),
        ("h", "seen", False),
        ("h", "loss", True),
    ]


def test_inspect(run: Run, path: Path) -> None:
    content = as_json(run("inspect", path, "--json"))
    (trial,) = content["trials"]
    assert (trial["group"], trial["trial"], trial["recorded"], trial["parameters"]) == ("group", "trial", 4, 6)
    assert trial["first_nan"] == {"step": 20, "group": "forward", "tensor": "h"}
    done = run("inspect", path, "--steps")
    assert done.returncode == 0
    assert "The first NaN is in step 20: h." in done.stdout
    assert "after 10" in done.stdout


def test_findings(run: Run, tmp_path: Path) -> None:
    root = write_stuck_run(tmp_path / "runs")
    export(root, tmp_path / "report.html")
    recorded, bundled = (as_json(run("findings", each, "--json"))["runs"] for each in (root, tmp_path / "report.html"))
    for key in ("run", "steps", "incidents", "findings", "passed", "not_checked", "muted"):
        assert recorded[0][key] == bundled[0][key]
    printed = run("findings", tmp_path / "report.html", "--fail-on", "bug")
    assert printed.returncode == 5
    assert "(never-updated)" in printed.stdout
    done = run("findings", tmp_path / "report.html", "--rule", "never-updated")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Leave out --rule" in done.stderr


def test_findings_of_a_rule_that_is_not_installed_are_printed(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(write_stuck_run(tmp_path / "runs"), tmp_path / "report.html")
    monkeypatch.setattr(command, "all_rules", lambda: tuple(rule for rule in all_rules() if rule.name != "never-updated"))
    done = run("findings", tmp_path / "report.html")
    assert done.returncode == 0
    assert "bug: never-updated (never-updated)" in done.stdout
    done = run("findings", tmp_path / "report.html", "--sarif", tmp_path / "findings.sarif")
    assert done.returncode == 2
    assert "these are not installed here: never-updated. Leave out --sarif." in done.stderr


@pytest.fixture
def ported(tmp_path: Path) -> Path:
    """The same run, whose `h` is a little different from step 10 on, and with it the loss."""
    other = RunByHand(tmp_path / "ported", TENSORS, {"model": "Linear"}, optimized=["model.weight"])
    with np.errstate(invalid="ignore"):
        for step in STEPS:
            values = numbers(step)
            if step:
                values["h"] = values["h"] * np.float32(1.01)
                values["loss"] = values["loss"] * np.float32(1.01)
            other.step(step, values, gradients(step), updates={"model.weight": (1.0, 0.1)})
    other.read()
    return tmp_path / "ported"


def test_diff_of_equal_runs(run: Run, path: Path, tmp_path: Path) -> None:
    done = run("diff", tmp_path / "runs", path, "--tolerance", "0")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("are the same in 4 steps and 5 tensors.\n")
    content = as_json(run("diff", tmp_path / "runs", path, "--json"))
    assert (content["same"], content["first"], content["steps_only_left"]) == (True, None, [])


def test_diff_names_the_first_step_and_tensor(run: Run, path: Path, ported: Path, tmp_path: Path) -> None:
    done = run("diff", path, ported)
    assert done.returncode == 6
    lines = done.stdout.splitlines()
    assert lines[0].endswith("first differ in step 10: h.")
    assert "2 of 7 records of this step differ" in lines[2]
    done = run("diff", path, ported, "--json")
    content = as_json(done)
    assert done.returncode == 6
    assert (content["first"]["step"], content["first"]["tensor"], content["first"]["reason"]) == (10, "h", "numbers")
    assert content["first"]["relative"] == pytest.approx(0.01 / 1.01, rel=1e-4)
    assert content["steps_only_left"] == [10.000001]
    assert run("diff", path, ported, "--tolerance", "0.02").returncode == 0
    # Two bundles.
    export(ported, tmp_path / "ported.html")
    assert as_json(run("diff", path, tmp_path / "ported.html", "--json"))["first"] == content["first"]


def test_diff_needs_something_in_common(run: Run, path: Path, tmp_path: Path) -> None:
    other = RunByHand(tmp_path / "other", [TENSORS[0]])
    other.step(5, {"x": numbers(0)["x"]})
    other.read()
    done = run("diff", path, tmp_path / "other")
    assert (done.returncode, done.stdout) == (2, "")
    assert "have no step in common" in done.stderr
    assert run("diff", path, path, "--tolerance", "-1").returncode == 2


def test_trials_are_chosen(run: Run, tmp_path: Path) -> None:
    root = write_small_run(write_small_run(tmp_path / "runs"), "second")
    done = run("graph", root)
    assert done.returncode == 2
    assert "There are 2 trials. Choose one with --trial: group/second, group/trial." in done.stderr
    for name in ("second", "group/second"):
        assert run("graph", root, "--trial", name).stdout.startswith("group/second: step 20")
    done = run("diff", root, root, "--trial", "trial", "--trial", "second")
    assert done.stdout == "group/trial and group/second are the same in 4 steps and 5 tensors.\n"
    assert len(as_json(run("curves", root, "--json"))["trials"]) == 2
    export(root, tmp_path / "both.html")
    for path in (root, tmp_path / "both.html"):
        assert [report["run"] for report in as_json(run("findings", path, "--trial", "second", "--json"))["runs"]] == ["group/second"]
    # A path that does not exist comes before the question for a trial.
    for paths in ((root, "nowhere"), ("nowhere", root)):
        done = run("diff", *paths)
        assert done.returncode == 3
        assert done.stderr.startswith("error: nowhere does not exist.")
