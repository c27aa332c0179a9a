"""The files that an edited input is downloaded as: the array, and which tensor it replaces."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import ForeignDataError, WrongChoiceError
from comgra_export.importers.npy import read_npy
from comgra_export.storage.text.steps import is_step, step_in_words

__all__ = ["Edit", "read_array", "read_edit"]

_FORMAT = "comgra-edit"
_VERSION = 1
_CHANGES_TOLD = 20
_NUMBER_IN_WORDS = re.compile(r"NaN|-?Infinity|-?[0-9]{1,20}")


@dataclass(frozen=True)
class Edit:
    """What an edited input is of.

    Attributes:
        group: Group of the recording.
        trial: Its trial.
        tensor: Name of the input.
        shape: Sizes of the array.
        changed: Places in the flat array, what was recorded there, and what is there now.
    """

    group: str | None
    trial: str
    step: float
    iteration: int
    tensor: str
    shape: tuple[int, ...]
    changed: tuple[tuple[int, int | float | str, int | float | str], ...]

    def in_words(self) -> str:
        """A sentence for the notes of the new trial."""
        count = len(self.changed)
        changes = [f"{self._index(place)} {before} -> {after}" for place, before, after in self.changed[:_CHANGES_TOLD]]
        more = [f"and {count - _CHANGES_TOLD:,} more"] if count > _CHANGES_TOLD else []
        what = f"{count:,} {'cell' if count == 1 else 'cells'} changed" + (": " + ", ".join([*changes, *more]) if changes else "")
        return f"Input {self.tensor!r} of trial {self.trial!r}, {step_in_words(self.step)}, iteration {self.iteration}, with {what}."

    def _index(self, place: int) -> str:
        return "[" + ", ".join(str(int(at)) for at in np.unravel_index(place, self.shape)) + "]"


def read_array(path: Path) -> NDArray[Any]:
    """Reads a `.npy` file. Nothing in it is executed.

    Raises:
        WrongChoiceError: It is not there, or is none.
    """
    try:
        return read_npy(path.read_bytes(), str(path))
    except OSError as error:
        raise WrongChoiceError(f"{path} cannot be read: {error.strerror or error}.") from None
    except ForeignDataError as error:
        raise WrongChoiceError(f"{error} Give the input that was downloaded from the page.") from None


def read_edit(path: Path, array: NDArray[Any]) -> Edit:
    """Reads the JSON file that belongs to an array.

    Raises:
        WrongChoiceError: It is not there, is none, or does not belong to the array.
    """
    try:
        root = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise WrongChoiceError(f"{path} cannot be read: {error.strerror or error}.") from None
    except (ValueError, RecursionError):
        raise WrongChoiceError(f"{path} is not a JSON file. Download it again.") from None
    if not isinstance(root, dict) or root.get("format") != _FORMAT:
        raise WrongChoiceError(f"{path} does not say what was edited. Give the JSON file that was downloaded with the input.")
    if root.get("version") != _VERSION:
        raise WrongChoiceError(f"{path} has the version {root.get('version')!r}, and this program reads {_VERSION}. Update comgra_export.")
    try:
        edit = _checked(root)
    except (KeyError, TypeError, ValueError):
        raise WrongChoiceError(f"{path} is damaged. Download it again.") from None
    if edit.shape != array.shape:
        raise WrongChoiceError(
            f"{path} describes an array of the shape {list(edit.shape)}, but the input has the shape {list(array.shape)}. Give two files "
            "that belong together."
        )
    if any(place >= array.size for place, _, _ in edit.changed):
        raise WrongChoiceError(f"{path} names a cell that the input does not have. Download it again.")
    if not all(_holds(array, place, after) for place, _, after in edit.changed):
        raise WrongChoiceError(f"{path} names values that differ from the input's. Give two files that were downloaded together.")
    return edit


def _holds(array: NDArray[Any], place: int, value: float | str) -> bool:
    """Whether a cell holds a value, as far as the array's dtype can."""
    is_float = array.dtype.kind == "f"
    if isinstance(value, str):
        value = float(value) if is_float else int(value)
    try:
        return bool(np.array_equal(array.reshape(-1)[place], array.dtype.type(value), equal_nan=is_float))
    except OverflowError:
        return False


def _checked(root: dict[str, Any]) -> Edit:
    """Raises any exception if something is not as it should be."""
    group = root.get("group")
    return Edit(
        group=None if group is None else _of(str, group),
        trial=_of(str, root["trial"]),
        step=_step(root["step"]),
        iteration=_of(int, root["iteration"]),
        tensor=_of(str, root["tensor"]),
        shape=tuple(_place(size) for size in _of(list, root["shape"])),
        changed=tuple((_place(place), _number(before), _number(after)) for place, before, after in _of(list, root["changed"])),
    )


def _of(kind: type, value: Any) -> Any:  # noqa: ANN401
    if not isinstance(value, kind):
        raise TypeError
    return value


def _step(value: Any) -> float:  # noqa: ANN401
    if not is_step(value):
        raise ValueError
    return cast(float, value)


def _number(value: Any) -> int | float | str:  # noqa: ANN401
    """A number, or the text of one that JSON does not have: NaN, an infinity, or a whole number that not every reader keeps."""
    if isinstance(value, str) and _NUMBER_IN_WORDS.fullmatch(value):
        return value
    if type(value) in (int, float):
        return cast(float, value)
    raise TypeError


def _place(value: Any) -> int:  # noqa: ANN401
    place = _of(int, value)
    if place < 0:
        raise ValueError
    return int(place)
