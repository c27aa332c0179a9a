"""The hyperparameters that a script hands over, as plain values with flat names."""

from __future__ import annotations

import dataclasses
import os
import re
from argparse import Namespace
from collections.abc import Iterator, Mapping
from numbers import Integral, Real

import numpy as np

from comgra_export.errors import MisuseError
from comgra_export.recorder.host.gaps import describe_error, with_short_paths
from comgra_export.recorder.host.torch_internals import without_function_overrides
from comgra_export.recorder.output.recording_output import RecordingOutput
from comgra_export.storage import Setting
from comgra_export.storage.codec.config import MAX_ENTRIES, MAX_TEXT
from comgra_export.storage.text.names import shown

__all__ = ["record_config"]

# What holds itself never ends.
_MAX_DEPTH = 20
_LARGEST_EXACT = 2**53 - 1
_ADDRESS = re.compile(" at 0x[0-9a-fA-F]+")


def record_config(output: RecordingOutput, values: object) -> None:
    """As `ComgraRecorder.set_config`."""
    if not _is_group(values):
        raise MisuseError(
            f"set_config: the hyperparameters are {shown(values)}. Give a dictionary, an argparse.Namespace or a dataclass instance."
        )
    flat = _Flat()
    with without_function_overrides():
        flat.take("", values, 0)
    output.write_config(flat.values, flat.surplus, flat.problems)


class _Flat:
    """Nested values under flat names.

    Attributes:
        values: The first ones, by name: numbers, booleans, strings and None.
        surplus: How many are left out, since there are too many.
        problems: Which could not be read, and why, as parts of a sentence.
    """

    def __init__(self) -> None:
        self.values: dict[str, Setting] = {}
        self.surplus = 0
        self.problems: list[str] = []

    def take(self, name: str, value: object, depth: int) -> None:
        """Takes a value and all within it. What raises is left out: classes of values may be anybody's."""
        try:
            if depth <= _MAX_DEPTH and _is_group(value):
                is_empty = True
                for inner, member in _members(value):
                    is_empty = False
                    self.take(f"{name}.{inner}" if name else str(inner), member, depth + 1)
                if not is_empty or not name:
                    return
            key = _text(name)
            if len(self.values) >= MAX_ENTRIES and key not in self.values:
                self.surplus += 1
            else:
                self.values[key] = _plain(value)
        except Exception as error:
            what = f"{_text(name)!r} could not be read" if name else "they could not be read to their end"
            self.problems.append(f"{what} ({describe_error(error)})")


def _is_group(value: object) -> bool:
    return isinstance(value, Mapping | Namespace) or (dataclasses.is_dataclass(value) and not isinstance(value, type))


def _members(value: object) -> Iterator[tuple[object, object]]:
    if isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, Namespace):
        yield from vars(value).items()
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield field.name, getattr(value, field.name)


def _plain(value: object) -> Setting:
    if value is None:
        return None
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        number = int(value)
        # A viewer in a browser would round it.
        return number if abs(number) <= _LARGEST_EXACT else _text(str(number))
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, str):
        # The value of an enumeration, too, whose own text is its name.
        return _text(str.__str__(value))
    if isinstance(value, os.PathLike):
        path = os.fspath(value)
        return _text(path if isinstance(path, str) else repr(path))
    # The values of a tensor may be many, and on an accelerator.
    return _text(shown(value) if hasattr(value, "shape") else _ADDRESS.sub("", repr(value)))


def _text(text: str) -> str:
    return with_short_paths(text)[:MAX_TEXT]
