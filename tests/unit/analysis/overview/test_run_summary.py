"""How runs went, against journals and networks written by hand."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from comgra_export.analysis.overview.run_summary import OptimizerSummary, summary_of
from comgra_export.storage import (
    Header,
    ModuleEntry,
    Network,
    OptimizerEntry,
    OptimizerGroup,
    ParameterEntry,
    Recording,
    RecordingWriter,
    open_recording,
)
from support.made_before import NAMES, recording_of
from support.places import TESTS
from support.storage.small_step import small_step

OPENED = {"event": "opened", "session": 0, "time": 0.5}
CLOSED = {"event": "closed", "session": 0, "time": 60.75, "trained": 40}
FAILED = {**CLOSED, "error": "RuntimeError: boom", "error_step": 39}


def finished(step: int, time: float | str | None, session: int = 0) -> dict[str, Any]:
    return {"event": "finished", "session": session, "step": step, "time": time}


def write(
    folder: Path,
    journal: Sequence[dict[str, Any]] | None,
    *,
    rank: int = 0,
    started: str = "2025-01-02T03:04:05Z",
    steps: Sequence[int] = (),
    config: dict[str, Any] | None = None,
    network: Network | None = None,
) -> Recording:
    """A rank of a trial with this journal; None: with none."""
    writer = RecordingWriter(folder / f"rank-{rank}", Header("g", "t", rank, 4, started=started))
    for step in steps:
        writer.write_step(*small_step(writer, step))
    if config is not None:
        writer.write_config(config)
    if network is not None:
        writer.write_network(network)
    writer.close()
    file = writer.folder / "journal.jsonl"
    file.unlink()
    if journal is not None:
        file.write_text("".join(json.dumps(line) + "\n" for line in journal))
    return open_recording(writer.folder)


def test_a_finished_run(tmp_path: Path) -> None:
    facts = summary_of([write(tmp_path, [OPENED, finished(0, 1), finished(10, 31), CLOSED], steps=[0, 10])])
    assert (facts.started, facts.seconds, facts.ending) == ("2025-01-02T03:04:05Z", 60.25, "finished")
    assert (facts.error, facts.error_step, facts.trained, facts.recorded) == ("", None, 40, 2)


def test_a_run_that_an_exception_ended(tmp_path: Path) -> None:
    facts = summary_of([write(tmp_path, [OPENED, FAILED])])
    assert (facts.ending, facts.error, facts.error_step, facts.trained) == ("exception", "RuntimeError: boom", 39, 40)


def test_a_run_without_the_line_of_its_end_was_killed_or_goes_on(tmp_path: Path) -> None:
    recording = write(tmp_path, [OPENED, finished(10, 31.25)], steps=[10])
    killed = summary_of([recording])
    assert (killed.ending, killed.seconds, killed.trained, killed.recorded, killed.last) == ("killed", 30.75, None, 1, 10)
    assert summary_of([recording], is_live=True).ending == "running"
    writer = RecordingWriter(recording.folder, recording.header, append=True)
    assert summary_of([open_recording(recording.folder)]).ending == "running"
    writer.close()
    assert summary_of([open_recording(recording.folder)], is_live=True).ending == "finished"


def test_a_process_that_is_killed(tmp_path: Path) -> None:
    code = f"""
import sys
from pathlib import Path
sys.path[:0] = [{str(TESTS)!r}]
from comgra_export.storage import Header, RecordingWriter
from support.storage.small_step import small_step

writer = RecordingWriter(Path({str(tmp_path)!r}), Header("g", "t", started="2025-01-02T03:04:05Z"))
writer.add_finished_step(3)
writer.write_step(*small_step(writer, 3))
print("written", flush=True)
sys.stdin.read()
"""
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "written\n"
        assert summary_of([open_recording(tmp_path)]).ending == "running"
        os.kill(process.pid, signal.SIGKILL)
    facts = summary_of([open_recording(tmp_path)])
    assert (facts.ending, facts.trained, facts.recorded) == ("killed", None, 1)


def test_without_a_journal_the_end_is_not_known(tmp_path: Path) -> None:
    facts = summary_of([write(tmp_path, None, steps=[1, 2])])
    assert (facts.ending, facts.seconds, facts.trained, facts.recorded) == ("", None, None, 2)


def test_sessions_add_up_without_the_time_between_them(tmp_path: Path) -> None:
    second = [
        {"event": "opened", "session": 1, "time": 1000},
        finished(20, 1010.5, 1),
        {"event": "closed", "session": 1, "time": 1020.125, "trained": 15},
    ]
    facts = summary_of([write(tmp_path, [OPENED, FAILED, *second])])
    assert (facts.seconds, facts.trained, facts.ending, facts.error) == (60.25 + 20.125, 55, "finished", "")
    # What the first session trained before it was killed, nobody knows.
    facts = summary_of([write(tmp_path / "killed", [OPENED, finished(0, 2), *second])])
    assert (facts.seconds, facts.trained, facts.ending) == (1.5 + 20.125, None, "finished")
    facts = summary_of([write(tmp_path / "resumed", [OPENED, CLOSED, *second[:2]])])
    assert (facts.seconds, facts.trained, facts.ending) == (60.25 + 10.5, None, "killed")


@pytest.mark.parametrize(
    ("times", "seconds"), [((None, None), None), ((1, "NaN"), 0), ((5, 2), 3), ((-1e308, 1e308), None), (("Infinity", "-Infinity"), None)]
)
def test_odd_times_are_no_odd_seconds(tmp_path: Path, times: tuple[float | str | None, ...], seconds: float | None) -> None:
    first, last = times
    facts = summary_of([write(tmp_path, [{**OPENED, "time": first}, {**CLOSED, "time": last}])])
    assert facts.seconds == seconds


def test_numbers_that_no_reader_holds_are_not_known(tmp_path: Path) -> None:
    largest = 2**53 - 1
    closed = [{**CLOSED, "session": session, "trained": largest} for session in (0, 1)]
    parameters = tuple(ParameterEntry(f"w{k}", 0, (largest,), "F32", True) for k in range(3))
    facts = summary_of([write(tmp_path, closed, network=Network((ModuleEntry("m", "M", -1),), parameters))])
    assert (facts.trained, facts.parameters) == (None, largest)


NETWORK = Network(
    (ModuleEntry("net", "Net", -1),),
    (
        ParameterEntry("net.weight", 0, (20, 5), "BF16", True, device="cuda"),
        ParameterEntry("net.scale", 0, (), "F32", False, device="cpu"),
        ParameterEntry("net.tied", 0, (20, 5), "BF16", True, "net.weight", "cuda"),
        ParameterEntry("net.empty", 0, (0, 7), "F32", True),
    ),
    (
        OptimizerEntry("Adam", "Adam", (OptimizerGroup((0,), {"lr": 0.5, "amsgrad": False}), OptimizerGroup((1,), {"lr": 0.25}))),
        OptimizerEntry("none", "SGD", ()),
    ),
)


def test_parameters_and_optimizers(tmp_path: Path) -> None:
    facts = summary_of([write(tmp_path, [OPENED], network=NETWORK, config={"lr": 0.5, "seed": 3})])
    assert (facts.parameters, facts.trainable) == (101, 100)
    assert (facts.devices, facts.dtypes) == (("cuda", "cpu"), ("BF16", "F32"))
    assert facts.optimizers == (OptimizerSummary("Adam", 2, {"lr": 0.5, "amsgrad": False}), OptimizerSummary("none", 0, {}))
    assert list(facts.config.items()) == [("lr", 0.5), ("seed", 3)]
    empty = summary_of([write(tmp_path / "empty", [OPENED])])
    assert (empty.parameters, empty.devices, empty.dtypes, empty.optimizers, empty.config) == (0, (), (), (), {})


def test_ranks_are_one_run(tmp_path: Path) -> None:
    other = Network(NETWORK.modules, (*NETWORK.parameters, ParameterEntry("net.only_here", 0, (4,), "F16", True, device="cuda")))
    ranks = [
        write(tmp_path, [OPENED, CLOSED], rank=0, steps=[0, 5], network=NETWORK, config={"lr": 0.5, "rank": 0, "amp": 1}),
        write(tmp_path, [OPENED, {**FAILED, "time": 50, "trained": 30, "error": "ValueError: first"}], rank=1, network=other,
              steps=[0, 5, 9], started="2025-01-02T03:04:04Z", config={"lr": 0.5, "rank": 1, "amp": True, "more": None}),
        write(tmp_path, [OPENED, finished(0, 99)], rank=2, steps=[0]),
        write(tmp_path, [OPENED, {**FAILED, "error": "RuntimeError: later"}], rank=3, steps=[0, 5]),
    ]  # fmt: skip
    facts = summary_of(ranks)
    assert (facts.started, facts.seconds) == ("2025-01-02T03:04:04Z", 98.5)
    assert (facts.ending, facts.error, facts.error_step) == ("exception", "ValueError: first", 39)
    assert (facts.trained, facts.recorded) == (40, 1)
    assert (facts.parameters, facts.trainable, facts.dtypes) == (105, 104, ("BF16", "F32", "F16"))
    assert facts.config == {"lr": 0.5, "more": None}
    assert facts.optimizers[0].name == "Adam"
    assert summary_of([ranks[0], ranks[2]]).ending == "killed"
    assert summary_of([ranks[0], ranks[2]], is_live=True).ending == "running"
    unknown = write(tmp_path / "unknown", None, rank=1)
    assert summary_of([ranks[0], unknown]).ending == ""


@pytest.mark.parametrize("name", NAMES)
def test_recordings_of_earlier_versions_say_what_they_know(name: str) -> None:
    (folder,) = recording_of(name).glob("*/rank-0")
    facts = summary_of([open_recording(folder)])
    assert facts.ending == "finished"
    assert (facts.error, facts.error_step, facts.trained) == ("", None, None)
    assert facts.seconds is not None
    assert facts.recorded > 1
    assert facts.parameters > 10
    assert (facts.devices, facts.config) == ((), {})
