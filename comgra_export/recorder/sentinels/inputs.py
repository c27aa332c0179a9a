"""Which inputs of a step that is not recorded hold values that are not finite."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from comgra_export.recorder.host.isolation import is_plain, undisturbed
from comgra_export.storage.model.lines import MAX_ROWS, NonFiniteInput

__all__ = ["non_finite_inputs"]


def non_finite_inputs(inputs: Iterable[tuple[str, Tensor]]) -> tuple[NonFiniteInput, ...] | None:
    """Reads the inputs of a step, of any shape and dtype. Waits for their devices.

    Args:
        inputs: Their names and values.

    Returns:
        Those that hold NaN, infinity or minus infinity. None if there are none, but one could not be read (complex, sparse, nested, or of a
        subclass that computes differently).
    """
    not_finite = []
    are_known = True
    with torch.no_grad(), undisturbed():
        for name, tensor in inputs:
            if not is_plain(tensor) or tensor.is_complex() or tensor.layout is not torch.strided:
                are_known = False
            elif tensor.is_floating_point() and not (is_finite := tensor.isfinite()).all():
                rows = (~is_finite).reshape(len(tensor), -1).any(1).nonzero()[:MAX_ROWS, 0].tolist() if tensor.dim() else []
                nan, positive, negative = (int(each.sum()) for each in (tensor.isnan(), tensor.isposinf(), tensor.isneginf()))
                not_finite.append(NonFiniteInput(name, nan, positive, negative, tuple(rows)))
    return tuple(not_finite) if are_known or not_finite else None
