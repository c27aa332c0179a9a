"""What a host's training has recorded, for tests that compare it with what the host itself knows."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from comgra_export.storage import Recording, find_recordings, open_recording
from support.distributed.trials import of_group


def needs(package: str) -> None:
    """Skips the tests of a module if a host is not installed."""
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed: make hosts-tests installs it", allow_module_level=True)


def recording_in(folder: Path, trial: str = "trial", rank: int = 0) -> Recording:
    """The recording of a rank, which has neither gaps nor problems."""
    recordings = {(each.parent.name, each.name): each for each in find_recordings(folder)}
    recording = open_recording(recordings[trial, f"rank-{rank}"])
    assert recording.gaps == ()
    assert recording.problems == []
    return recording


def steps_of(recording: Recording) -> dict[str, list[float]]:
    """The numbers of the steps of each type."""
    steps: dict[str, list[float]] = {}
    for step in recording.steps:
        steps.setdefault(recording.step(step).type_of_execution, []).append(step)
    return steps


def evaluations_after(step: int, count: int, first: int = 1) -> list[float]:
    """The numbers of the evaluations after a training step, each computed as a decimal number."""
    return [float(f"{step}.{number:06d}") for number in range(first, first + count)]


def curve(recording: Recording, name: str, kind: str = "train") -> dict[float, float]:
    """The points of a curve that the host has measured."""
    return {point.t: point.v for point in recording.curve_points if point.name == name and point.type == kind and not point.is_own}


def own_curve(recording: Recording, group: str, name: str | None = None) -> dict[float, float]:
    """The points of a curve that the recorder has made in training."""
    points = [point for point in recording.curve_points if point.group == group and point.type == "train" and point.is_own]
    return {point.t: point.v for point in points if name is None or point.name == name}


def gradient_norms(recording: Recording, step: float, group: str = "gradients") -> dict[str, float]:
    """The norm of the gradient of each parameter in a step, from its mean and its deviation."""
    norms = {}
    for name, (place, statistics, _) in of_group(recording, step, group).items():
        entry = place.entry
        if entry.type == "parameter":
            mean, deviation = (float(statistics[entry.items.index(item)][0]) for item in ("mean", "std"))
            size = math.prod(entry.shape)
            norms[name] = math.sqrt(size * mean**2 + (size - 1) * deviation**2)
    return norms


def norms_of(parameters: Iterable[tuple[str, nn.Parameter]], prefix: str = "model.") -> dict[str, float]:
    """The same of the gradients that parameters have now."""
    return {prefix + name: float(parameter.grad.double().norm()) for name, parameter in parameters if parameter.grad is not None}


def assert_gradients(actual: Mapping[str, float], expected: Mapping[str, float]) -> None:
    assert set(actual) == set(expected)
    for name, norm in expected.items():
        assert actual[name] == pytest.approx(norm, rel=1e-4, abs=1e-9), name


def equal_weights(first: nn.Module, second: nn.Module) -> bool:
    """Whether two networks have the same weights and buffers, bit for bit."""
    mine, other = first.state_dict(), second.state_dict()
    return list(mine) == list(other) and all(_equal(mine[name], other[name]) for name in mine)


def _equal(first: Tensor, second: Tensor) -> bool:
    return first.dtype == second.dtype and torch.equal(first, second)


def run_script(code: str, folder: Path, *arguments: object, processes: int = 1, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a script in a process of its own, or with `torchrun` in several. It gets the arguments in `sys.argv`, and no accelerator."""
    script = folder / "script.py"
    script.write_text(textwrap.dedent(code), encoding="utf-8")
    launcher = [] if processes == 1 else ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    command = [sys.executable, *launcher, str(script), *map(str, arguments)]
    variables = {**os.environ, "CUDA_VISIBLE_DEVICES": "", **environment}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=400, check=False, env=variables)


WAYS_TO_END = {"exception": "RuntimeError: stop", "interrupt": "KeyboardInterrupt"}
"""What a script is told that is to raise `RuntimeError("stop")` or `KeyboardInterrupt`, and what is noted then."""


def assert_ended(finished: subprocess.CompletedProcess[str], how: str, folder: Path, steps: int) -> None:
    """Asserts that a script failed as it was told, and left a recording of so many training steps, a note and a page."""
    assert WAYS_TO_END[how] in finished.stderr
    recording = recording_in(folder)
    assert steps_of(recording)["train"] == list(range(steps))
    assert WAYS_TO_END[how] in str([note.text for note in recording.notes])
    assert (folder / "comgra.html").stat().st_size > 100_000, finished.stderr
