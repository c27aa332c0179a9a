"""Attention: which modules compute it, and which of their tensors is its pattern, which says what attends to what."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from comgra_export.recorder.host.dtypes import why_not_recordable
from comgra_export.storage.model.calls import PortMeaning

__all__ = ["MAX_PATTERN_VALUES", "dropout_of", "is_attention", "meaning_of", "why_no_pattern"]

MAX_PATTERN_VALUES = 1 << 18
"""A pattern whose recorded samples have at most so many values is recorded with its values, even if nobody asks for them."""

# Sums of a row in half precision differ from 1 by less.
_TOLERANCE = 0.02

_CHECKED_VALUES = 1 << 20


def is_attention(module: nn.Module) -> bool:
    """Whether a module computes attention, judged by its type."""
    return isinstance(module, nn.MultiheadAttention) or "Attention" in type(module).__name__


def dropout_of(module: nn.Module) -> float:
    """The largest share of values that a module may drop now: by itself, by a setting with "drop" in its name, or by its direct parts."""
    if not module.training:
        return 0.0
    shares = [part.p for part in (module, *module.children()) if isinstance(part, nn.Dropout)]
    shares += [value for name, value in vars(module).items() if "drop" in name and isinstance(value, float)]
    return max((share for share in shares if 0 < share < 1), default=0.0)


def meaning_of(tensor: Tensor, dropout: float, *, is_second_result: bool = False) -> PortMeaning | None:
    """Whether a tensor is the pattern of an attention: `[B, heads, queries, keys]` or `[B, queries, keys]`, with shares that sum to 1.

    Rows of zeros or NaN, where everything is masked, may be among them. If a tensor has more than a million values, this checks only its
    first sample. `dropout` is the share of values that may have been dropped from it. The other values are then larger than they were.

    To read the values on another device than the CPU would make the training wait for it. There, only the second result of an attention,
    which `is_second_result` says, counts as its pattern.
    """
    if tensor.dim() not in (3, 4) or not tensor.is_floating_point() or tensor.numel() == 0 or why_not_recordable(tensor) is not None:
        return None
    if not tensor.is_cpu:
        return None if not is_second_result else "attention_after_dropout" if dropout > 0 else "attention"
    with torch.no_grad():
        # For most other tensors, one row is enough.
        if (tensor[(0,) * (tensor.dim() - 2) + (-1,)] < 0).any():
            return None
        part = tensor if tensor.numel() <= _CHECKED_VALUES else tensor[:1]
        sums = part.sum(-1, dtype=torch.float32)
        are_whole = (sums - 1).abs() <= _TOLERANCE
        are_masked = (sums == 0) | sums.isnan()
        are_shares = sums <= (1 + _TOLERANCE) / (1 - dropout)
        conditions = ((part < 0).any(), are_whole.any(), (are_whole | are_masked).all(), are_masked.all(), (are_shares | are_masked).all())
        has_negative, has_whole, is_exact, is_empty, is_thinned = torch.stack(conditions).tolist()
    if has_negative or is_empty:
        return None
    if has_whole and is_exact:
        return "attention"
    return "attention_after_dropout" if dropout > 0 and is_thinned else None


def why_no_pattern(module: nn.Module, results: list[Tensor | None]) -> str:
    """Why the pattern of an attention was not seen. `results` has the tensors at its ports, and None for anything else."""
    if isinstance(module, nn.MultiheadAttention):
        if results[1:] == [None]:
            return "not returned: need_weights=False"
        return "what was returned as its pattern is none: rows do not sum to 1"
    implementation = getattr(getattr(module, "config", None), "_attn_implementation", None)
    if not isinstance(implementation, str):
        return "not returned by this module"
    if implementation == "eager":
        return "not returned: use output_attentions=True"
    return f"not computed with attn_implementation={implementation[:40]!r}: use 'eager', with output_attentions=True"
