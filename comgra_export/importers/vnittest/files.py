"""Finds and reads the three files of vnittest.

vnittest takes the beginning of their names, and appends `flow_info.pkl`, `input_representation.npy` and `target_representation.npy`.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import ForeignDataError
from comgra_export.importers.npy import read_npy
from comgra_export.importers.pickles.reader import PickleValue, read_pickle

__all__ = ["FLOW_INFO", "INPUT", "TARGET", "RawFiles", "find_flow_info", "name_of", "read_files"]

FLOW_INFO = "flow_info.pkl"
INPUT = "input_representation.npy"
TARGET = "target_representation.npy"

_PREFIXES_SHOWN = 5


class RawFiles(NamedTuple):
    """The unchecked content of the files. A picture is None if its file does not exist."""

    flow_info: PickleValue
    input: NDArray[np.generic] | None
    target: NDArray[np.generic] | None


def find_flow_info(source: str) -> Path:
    """Finds the pickle.

    Args:
        source: The beginning of the names, as vnittest takes it (`debug_data/`, `tests/test_data/test_`), or the folder, or the pickle.

    Raises:
        ForeignDataError: There is no such file, or there are several in the folder.
    """
    path = Path(source)
    if path.is_dir():
        files = sorted(path.glob(f"*{FLOW_INFO}"))
        files = [file for file in files if file.name == FLOW_INFO] or files
        if not files:
            raise ForeignDataError(f"There is no {FLOW_INFO} in {path}. Give the folder, or the prefix of the names, as to vnittest.")
        if len(files) > 1:
            names = ", ".join(str(file) for file in files[:_PREFIXES_SHOWN])
            raise ForeignDataError(f"There are {len(files)} files of vnittest in {path}. Give one of them: {names}.")
        return files[0]
    file = path if source.endswith(FLOW_INFO) else Path(source + FLOW_INFO)
    if not file.is_file():
        folder = "" if file is path else f", and {path} is not a folder"
        raise ForeignDataError(
            f"There is no file {file}{folder}. Give a folder or the prefix of the names (tests/test_data/test_), as to vnittest, or the "
            "pickle itself."
        )
    return file


def name_of(flow_info: Path) -> str:
    """A name for the files: the beginning of their names, or else their folder."""
    prefix = flow_info.name.removesuffix(FLOW_INFO).strip("_-. ")
    return prefix or flow_info.resolve().parent.name or "vnittest"


def read_files(flow_info: Path) -> RawFiles:
    """Reads the pickle and the pictures beside it.

    Raises:
        ForeignDataError: A file cannot be read, or does not hold what it should.
    """
    pickled = read_pickle(_read(flow_info), flow_info.name)
    prefix = flow_info.name.removesuffix(FLOW_INFO)
    pictures = (flow_info.with_name(prefix + name) for name in (INPUT, TARGET))
    return RawFiles(pickled, *(read_npy(_read(file), file.name) if file.is_file() else None for file in pictures))


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ForeignDataError(f"{file} cannot be read ({error.strerror}). Check its permissions.") from None
    except MemoryError:
        raise ForeignDataError(f"{file} is too large for the memory of this machine.") from None
