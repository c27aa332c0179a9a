"""Which files are a checkpoint, and which training step each was saved after."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from comgra_export.errors import ForeignDataError, NotARecordingError
from comgra_export.importers.checkpoints.safetensors_file import open_safetensors
from comgra_export.importers.checkpoints.tensors import Checkpoint, SavedTensor, natural_order
from comgra_export.importers.checkpoints.torch_file import open_torch_file
from comgra_export.storage.text.steps import MAX_STEP

__all__ = ["NumberedCheckpoint", "numbered", "open_checkpoint"]

_NUMBER = re.compile("[0-9]+")
_ZIP = b"PK"
# In a folder of one checkpoint, such as those of transformers.
_WEIGHTS_IN_A_FOLDER = ("*.safetensors", "pytorch_model*.bin")


class NumberedCheckpoint(NamedTuple):
    """A checkpoint and the number of its step.

    Attributes:
        path: A file, or a folder with the parts of one checkpoint.
        name: Its name, without the folders above.
    """

    step: int
    path: Path
    name: str


def numbered(paths: Sequence[Path]) -> list[NumberedCheckpoint]:
    """Puts checkpoints in order, by the last number in each name: `model-1000.safetensors`, `epoch=3-step=400.ckpt`, `checkpoint-500`.

    If a name has no number, or two have the same, they are counted from 0, in the order of their names.

    Raises:
        NotARecordingError: One does not exist.
    """
    for path in paths:
        if not path.exists():
            raise NotARecordingError(f"{path} does not exist. Give the files of checkpoints, or a folder for each.")
    numbers = [_last_number(path) for path in paths]
    known = [number for number in numbers if number is not None and number <= MAX_STEP]
    if len(set(known)) == len(paths):
        return sorted(NumberedCheckpoint(number, path, path.name) for number, path in zip(known, paths, strict=True))
    return [NumberedCheckpoint(step, path, path.name) for step, path in enumerate(sorted(paths, key=lambda path: natural_order(path.name)))]


def _last_number(path: Path) -> int | None:
    # A digit of the ending, as in .h5, is not a number of a step.
    numbers = _NUMBER.findall(path.name if path.is_dir() else path.stem)
    return int(numbers[-1][-20:]) if numbers else None


def open_checkpoint(checkpoint: NumberedCheckpoint) -> Checkpoint:
    """Opens a file, or the parts of a checkpoint in a folder.

    Raises:
        ForeignDataError: A file is damaged, or of a format that is not read.
        OSError: A file cannot be read.
    """
    if not checkpoint.path.is_dir():
        return _open_file(checkpoint.path, checkpoint.name)
    files = next((files for pattern in _WEIGHTS_IN_A_FOLDER if (files := sorted(checkpoint.path.glob(pattern)))), None)
    if files is None:
        raise ForeignDataError(f"{checkpoint.name} is a folder without {' or '.join(_WEIGHTS_IN_A_FOLDER)}. Give the files themselves.")
    tensors: dict[str, SavedTensor] = {}
    left_out: list[str] = []
    for file in files:
        part = _open_file(file, f"{checkpoint.name}/{file.name}")
        left_out += [*part.left_out, *(f"{name} is in several files; the first is read." for name in part.tensors if name in tensors)]
        tensors = {**part.tensors, **tensors}
    return Checkpoint(tensors, tuple(left_out))


def _open_file(path: Path, name: str) -> Checkpoint:
    with path.open("rb") as stream:
        begin = stream.read(2)
    return open_torch_file(path, name) if begin == _ZIP else open_safetensors(path, name)
