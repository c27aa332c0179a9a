"""The tensors in nested lists, tuples and dictionaries."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from torch import Tensor

__all__ = ["tensors_in", "tensors_in_result"]

# How far `tensors_in_result` goes. What a module returns may be large, and may contain itself.
_MAX_DEPTH = 8
_MAX_PARTS = 1000


def tensors_in(*values: object) -> list[Tensor]:
    """The tensors in the arguments or results of a function of PyTorch, in order. It is made for speed, and goes as deep as they do."""
    tensors: list[Tensor] = []
    _collect(values, tensors)
    return tensors


def tensors_in_result(result: object) -> list[Tensor]:
    """The tensors in what a module returned, also in dataclasses: those that are nested least come first.

    Parts of parts are left out from the ninth level on, and those of the level that brings all parts to more than 1,000.
    """
    if isinstance(result, Tensor):
        return [result]
    tensors: list[Tensor] = []
    level: list[object] = [result]
    parts = 0
    for _ in range(_MAX_DEPTH):
        next_level: list[object] = []
        for value in level:
            if isinstance(value, Tensor):
                tensors.append(value)
                continue
            inner = _parts_of(value)
            parts += len(inner)
            if parts > _MAX_PARTS:
                return tensors
            next_level += inner
        level = next_level
    return tensors


def _collect(values: Iterable[object], tensors: list[Tensor]) -> None:
    for value in values:
        if isinstance(value, Tensor):
            tensors.append(value)
        elif isinstance(value, (list, tuple)):
            _collect(value, tensors)
        elif isinstance(value, dict):
            _collect(value.values(), tensors)


def _parts_of(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, (tuple, list)):
        return list(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name, None) for field in dataclasses.fields(value)]
    return []
