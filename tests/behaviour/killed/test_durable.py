"""A process that is killed at once after a step: the steps that matter most are on disk."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from comgra_export.storage import open_recording
from support.processes import ReadyProcesses

SCRIPT = """
import os, signal, time, warnings
import torch
from comgra_export import ComgraRecorder
from comgra_export.recorder.output.step_files import StepFiles

write = StepFiles.write
def slowly(self, work):
    time.sleep(0.2)
    write(self, work)
StepFiles.write = slowly

def step(recorder, number, value=1.0):
    with recorder.batch(number, 1), recorder.iteration():
        recorder.register_tensor("x", torch.full((1, 2), value), is_input=True)

warnings.simplefilter("ignore")
recorder = ComgraRecorder(root, every=1 if how != "triggered" else 1000, sentinels=True, durable=how == "durable")
step(recorder, 0)
if how == "triggered":
    step(recorder, 1, float("nan"))
elif how == "handled":
    try:
        raise RuntimeError
    except RuntimeError:
        step(recorder, 1)
elif how == "raised":
    step(recorder, 1)
    try:
        with recorder.batch(2, 1):
            raise RuntimeError
    except RuntimeError:
        pass
else:
    step(recorder, 1)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="The process kills itself.")
@pytest.mark.parametrize(
    ("how", "steps"), [("durable", (0, 1)), ("triggered", (0, 1)), ("handled", (0, 1)), ("raised", (0, 1)), ("neither", ())]
)
def test_steps_that_must_not_be_lost_are_on_disk(how: str, steps: tuple[int, ...], processes: ReadyProcesses, tmp_path: Path) -> None:
    done = processes.run(f"root, how = {str(tmp_path)!r}, {how!r}\n{SCRIPT}", tmp_path)
    assert done.returncode == -signal.SIGKILL, done.stderr
    recording = open_recording(tmp_path / "default" / "trial" / "rank-0")
    assert recording.steps == steps
    assert len(recording.missing_steps) == 2 - len(steps)
