"""The numbers that only matrices have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from comgra_export.recorder.numbers.compiled_singular_values import compiled_singular_values, is_fit
from comgra_export.recorder.numbers.parts import Part, Place, Waiting
from comgra_export.recorder.numbers.singular_values import largest_singular_values

__all__ = ["singular_values"]

_ITEMS_BEFORE_SINGULAR_VALUE = 4


def singular_values(matrices: Sequence[Waiting]) -> list[Part]:
    """Computes the largest singular value of each matrix, by a compiled kernel where that can; NaN where it cannot be computed."""
    groups: dict[tuple[torch.dtype, torch.device], list[Waiting]] = {}
    for one in matrices:
        groups.setdefault((one.numbers.precision, one.values.device), []).append(one)
    parts = []
    for (precision, device), members in groups.items():
        try:
            found = _of_one_kind([one.values.to(precision) for one in members])
        except RuntimeError:
            found = torch.full((len(members),), torch.nan, dtype=precision, device=device)
        parts.append(Part(Place(tuple(one.key for one in members), "statistics", _ITEMS_BEFORE_SINGULAR_VALUE), found[:, None]))
    return parts


def _of_one_kind(matrices: Sequence[Tensor]) -> Tensor:
    """`[T]`, for matrices of one dtype and device."""
    fit = [position for position, matrix in enumerate(matrices) if is_fit(matrix)]
    if not fit:
        return torch.stack(largest_singular_values(matrices))
    found = np.full(len(matrices), np.nan)
    found[fit] = compiled_singular_values([matrices[position] for position in fit])
    rest = np.isnan(found).nonzero()[0].tolist()
    if rest:
        found[rest] = torch.stack(largest_singular_values([matrices[position] for position in rest])).numpy()
    return torch.from_numpy(found).to(matrices[0].dtype)
