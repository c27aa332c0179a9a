"""What tests of damaged recordings share: a sound one, and ways to damage it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from comgra_export.errors import DamagedRecordingError
from comgra_export.storage import Network, Recording
from support.storage.strategies import write_example

__all__ = ["STEPS", "edit", "failure", "folder", "only", "read_everything", "set_column", "step_files"]

STEPS = (0, 7, 1200)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The example, in a folder of the shape that a recorder makes."""
    rank = tmp_path / "group" / "trial" / "rank-0"
    write_example(rank)
    return rank


def read_everything(recording: Recording) -> dict[float, bool]:
    """Reads everything like an exporter. Returns the steps that could be read completely."""
    assert isinstance(recording.network, Network)
    assert len(recording.notes) + len(recording.curve_points) + len(recording.gaps) + len(recording.sentinel_points) <= 12
    assert {missing.step for missing in recording.missing_steps}.isdisjoint(recording.steps)
    readable = {}
    for number in recording.steps:
        readable[number] = recording.check_step(number)
        message = failure(recording, number)
        assert readable[number] or message
        assert not message or ("group/trial/rank-0/" in message and str(recording.folder) not in message)
    return readable


def failure(recording: Recording, number: float) -> str:
    """Reads a step with its graphs and numbers. Returns the message of the error, if there is one."""
    try:
        for structure in recording.step(number).structures:
            if structure is not None:
                recording.structure(structure)
        for calls in recording.step(number).calls:
            if calls is not None:
                recording.calls(calls)
        recording.blobs(number)
        recording.histograms(number)
        for position in range(len(recording.step(number).flows)):
            recording.flow_numbers(number, position)
    except DamagedRecordingError as error:
        return str(error)
    return ""


def edit(file: Path, change: Callable[[Any], object]) -> None:
    """Changes a JSON file. If its name is a hash, the step that refers to it gets the hash of the new content."""
    content = json.loads(file.read_bytes())
    change(content)
    data = orjson.dumps(content)
    if len(file.stem) == 16:
        digest = hashlib.sha256(data).hexdigest()[:16]
        for step in (file.parent.parent / "steps").glob("*.json"):
            step.write_text(step.read_text().replace(file.stem, digest))
        file = file.with_stem(digest)
    file.write_bytes(data)


def step_files(folder: Path, number: float) -> tuple[Path, Path]:
    return folder / "steps" / f"{number:012d}.json", folder / "steps" / f"{number:012d}.safetensors"


def only(folder: Path) -> Path:
    (file,) = folder.glob("*.json")
    return file


def set_column(name: str, row: int, value: object) -> Callable[[Any], object]:
    return lambda content: content["tensors"][name].__setitem__(row, value)
