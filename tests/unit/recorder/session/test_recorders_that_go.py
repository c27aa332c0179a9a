"""A recorder that was finalized goes without Python code of ours: an interrupt in it would be swallowed, with a traceback."""

from __future__ import annotations

import gc
import sys
import threading
import time
from pathlib import Path
from types import FrameType

import torch
from torch import nn

import comgra_export
from comgra_export.recorder.output.writing_thread import wait_for_abandoned
from comgra_export.storage import open_recording


def collect() -> list[str]:
    """Collects garbage. Returns which functions of ours were called for it in this thread."""
    called: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_globals.get("__name__", "").startswith(("comgra_export", "weakref")):
            called.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        gc.collect()
    finally:
        sys.setprofile(None)
    return called


def train(folder: Path, *, finalize: bool) -> None:
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    recorder = comgra_export.watch(model, folder, every=2)
    recorder.itself = recorder  # type: ignore[attr-defined]
    for _ in range(4):
        model(torch.ones(3, 2)).sum().backward()
        optimizer.step()
    if finalize:
        recorder.finalize()


def test_nothing_of_ours_runs_when_a_finalized_recorder_goes(tmp_path: Path) -> None:
    gc.collect()
    train(tmp_path, finalize=True)
    assert collect() == []
    assert open_recording(tmp_path / "default" / "trial" / "rank-0").is_closed


def test_without_finalize_hooks_are_removed_at_once_and_the_writing_thread_sees_by_itself_that_it_is_over(tmp_path: Path) -> None:
    gc.collect()
    others = set(threading.enumerate())

    def is_writing() -> bool:
        return any(thread.name == "comgra_export writing" for thread in set(threading.enumerate()) - others)

    train(tmp_path, finalize=False)
    assert is_writing()
    called = collect()
    # These must not wait: the training would meet the hooks of a recorder that is gone.
    assert "remove_hooks" in called
    assert "abandon" not in called
    # What the hooks held goes with the next collection.
    gc.collect()
    deadline = time.monotonic() + 60
    while is_writing() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_writing()
    wait_for_abandoned()
    recording = open_recording(tmp_path / "default" / "trial" / "rank-0")
    assert (recording.steps, recording.is_closed) == ((0, 2), False)
