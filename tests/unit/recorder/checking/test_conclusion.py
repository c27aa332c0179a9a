"""What a recorder says on the terminal at its end."""

from __future__ import annotations

import io
import re
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

import comgra_export
from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType
from comgra_export.recorder.checking import conclusion as module
from comgra_export.recorder.checking.conclusion import conclusion
from support.analysis.runs import Given, RunByHand


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _set_stderr(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO | None) -> None:
    # pytest sets the one of `sys` again before each test.
    monkeypatch.setattr("comgra_export.recorder.session.checking.sys", SimpleNamespace(stderr=stream, modules=sys.modules))


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Terminal:
    """The standard error of a script that is run in a terminal, in `tmp_path`."""
    terminal = Terminal()
    _set_stderr(monkeypatch, terminal)
    monkeypatch.chdir(tmp_path)
    return terminal


def _train(folder: Path, steps: int = 4, **arguments: Any) -> ComgraRecorder:  # noqa: ANN401
    """Forgets zero_grad, and passes probabilities to a loss that expects logits."""
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))
    optimizer = torch.optim.SGD(network.parameters(), 0.1)
    every = DecisionMakerForRecordingsFrequencyPerType(1)
    with comgra_export.watch(network, folder, decision_maker_for_recordings=every, group="my group", **arguments) as recorder:
        for _ in range(steps):
            nn.functional.cross_entropy(network(torch.randn(8, 4)), torch.zeros(8, dtype=torch.long)).backward()
            optimizer.step()
    return recorder


def test_the_worst_is_named_with_severity_place_and_step(terminal: Terminal, tmp_path: Path) -> None:
    recorder = _train(tmp_path / "runs")
    lines = terminal.getvalue().splitlines()
    assert re.fullmatch(r"runs/my group/trial: trained 4 steps in [0-9.]+ s, recorded 4 steps \([0-9.]+ kB\)\. It finished\.", lines[0])
    command = "Page: comgra-export build "
    assert lines[1].startswith(command)
    assert shlex.split(lines[1].removeprefix(command)) == ["runs/my group/trial", "-o", "report.html"]
    assert lines[2:4] == [
        "  bug since step 0, tensor model.1: output: Probabilities are passed to a loss that expects logits (softmax-before-cross-entropy)",
        "  bug since step 1, optimizer: Gradients of earlier steps are still there (gradients-left-over)",
    ]
    assert len(lines) <= 6
    command = "All findings: comgra-export findings "
    assert lines[-1].startswith(command)
    assert shlex.split(lines[-1].removeprefix(command)) == ["runs/my group/trial"]
    recorder.finalize()
    assert terminal.getvalue().splitlines() == lines


@pytest.mark.parametrize(("bars", "begin"), [({object()}, "\nruns"), (set(), "runs")])
def test_it_begins_on_a_line_of_its_own_if_a_progress_bar_is_open(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bars: set[object], begin: str
) -> None:
    # As tqdm keeps its open bars.
    monkeypatch.setitem(sys.modules, "tqdm", SimpleNamespace(tqdm=SimpleNamespace(_instances=bars)))
    _train(tmp_path / "runs")
    assert terminal.getvalue().startswith(begin)


@pytest.mark.parametrize("arguments", [{"check": False}, {"rank": 1, "world_size": 2}, {"comgra_is_active": False}])
def test_it_is_silent(terminal: Terminal, tmp_path: Path, arguments: dict[str, Any]) -> None:
    _train(tmp_path / "runs", **arguments)
    assert terminal.getvalue() == ""


def test_it_is_silent_without_a_terminal_or_a_step(terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ComgraRecorder(tmp_path / "none").finalize()
    assert terminal.getvalue() == ""
    file = io.StringIO()
    closed = Terminal()
    closed.close()
    for number, stream in enumerate((file, closed, None)):
        _set_stderr(monkeypatch, stream)
        _train(tmp_path / f"runs {number}")
    assert file.getvalue() == ""


def test_a_long_recording_is_not_read(terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A step has more than one record, and at most 100.
    monkeypatch.setattr(module, "MOST_RECORDS", 4)
    _train(tmp_path / "runs")
    assert [line.split(":")[0] for line in terminal.getvalue().splitlines()] == ["runs/my group/trial", "Page", "All findings"]
    monkeypatch.setattr(module, "MOST_RECORDS", 400)
    assert len(conclusion(tmp_path / "runs" / "my group" / "trial" / "rank-0")) > 4


def test_every_step_counts_and_not_the_last_one_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = ComgraRecorder(tmp_path, decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(1))
    for step in range(4):
        with recorder.batch(step, 2), recorder.iteration():
            for number in range(1 if step == 3 else 50):
                recorder.register_tensor(f"x{number}", torch.ones(2, 3))
    recorder.finalize()
    assert recorder.folder is not None
    # 151 records; the last step would let one think of 4.
    monkeypatch.setattr(module, "MOST_RECORDS", 150)
    assert len(conclusion(recorder.folder)) == 3
    monkeypatch.setattr(module, "MOST_RECORDS", 151)
    assert len(conclusion(recorder.folder)) > 3


def test_checks_of_very_many_steps_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    recorder = _train(tmp_path / "runs", sentinels=True)
    assert recorder.folder is not None
    size = sum((recorder.folder / name).stat().st_size for name in ("sentinels.jsonl", "curves.jsonl"))
    monkeypatch.setattr(module, "MOST_BYTES_OF_LINES", size - 1)
    assert len(conclusion(recorder.folder)) == 3
    monkeypatch.setattr(module, "MOST_BYTES_OF_LINES", size)
    assert len(conclusion(recorder.folder)) > 3


def test_trouble_of_ours_breaks_nothing(terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr(module, "find", fail)
    _train(tmp_path / "runs")
    assert len(terminal.getvalue().splitlines()) == 3
    monkeypatch.setattr(module, "open_recording", fail)
    _train(tmp_path / "others")
    assert len(terminal.getvalue().splitlines()) == 3
    monkeypatch.undo()
    (tmp_path / "comgra-findings.toml").write_text("[[mute", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert len(conclusion(tmp_path / "runs" / "my group" / "trial" / "rank-0")) == 3


def test_an_exception_and_the_first_nan_are_named(terminal: Terminal, tmp_path: Path) -> None:
    recorder = ComgraRecorder(tmp_path / "runs", decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(1))

    def run() -> None:
        with recorder:
            for step in range(3):
                with recorder.batch(step, 2), recorder.iteration():
                    recorder.register_tensor("fine", torch.ones(2, 3))
                    recorder.register_tensor("wrong", torch.full((2, 3), float("nan") if step else 1.0))
            raise RuntimeError("\x1b[31mboom")

    with pytest.raises(RuntimeError):
        run()
    first = terminal.getvalue().splitlines()[0]
    assert first.startswith("runs/default/trial: recorded 3 steps in ")
    assert first.endswith("It ended after step 2 with RuntimeError: \\x1b[31mboom. The first NaN is in step 1: wrong.")


def test_at_most_three_causes_are_named_and_no_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"model.{name}" for name in "abcdef"]
    tensors = [*(Given(name, "parameter") for name in names), Given("loss", "loss", parents=tuple(names))]
    written = RunByHand(tmp_path, tensors, optimized=names)
    # Constant weights of layers: one finding for each.
    written.modules = {"model": "Linear"}
    for step in range(3):
        values = {**{name: torch.full((3, 3), 0.5).numpy() for name in names}, "loss": 1.0}
        written.step(step, values, dict.fromkeys(names, 0.1), updates=dict.fromkeys(names, (2, 0.01)))
    written.read()
    lines = conclusion(tmp_path / "group" / "trial" / "rank-0")
    assert [line.split(",")[0] for line in lines[2:-1]] == ["  bug since step 0"] * 3
    (tmp_path / "comgra-findings.toml").write_text('[[mute]]\nnode = "*"\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    assert conclusion(tmp_path / "group" / "trial" / "rank-0")[2:-1] == ["  Nothing new was found."]


def test_texts_of_a_recording_have_no_power_over_the_terminal(tmp_path: Path) -> None:
    hostile = "model.\x1b[31mred"
    written = RunByHand(tmp_path, [Given("x", "input"), Given(hostile, parents=("x",))])
    written.step(0, {"x": torch.ones(4, 2).numpy(), hostile: torch.full((4, 2), float("nan")).numpy()})
    written.read()
    text = "\n".join(conclusion(tmp_path / "group" / "trial" / "rank-0"))
    assert "\x1b" not in text
    assert "tensor model.\\x1b[31mred: A value is NaN" in text
