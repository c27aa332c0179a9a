"""Targets that are padding, and that a loss counts: as many of them are 0 as values of the padded input."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.losses import LossUse, has_class_weights, moment
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, training_graph
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey

__all__ = ["SHARE_OF_PADDING", "SHARE_OF_ZEROS", "PaddingInTargets", "padding_in_targets"]

SHARE_OF_PADDING = 0.3
"""If an embedding has 0 as its padding, this share of targets must be 0."""

SHARE_OF_ZEROS = 0.6
"""Without it, 0 may be a value like others."""

# A sequence is shifted by one, and gets a start or an end.
_SHIFT = 2


class PaddingInTargets(NamedTuple):
    """A loss that counts padding.

    Attributes:
        use: Its first call.
        target: The targets.
        input: The input with as much padding.
        share: The share of the targets that are padding, the median over steps.
        steps: In how many steps.
        is_declared: Whether an embedding that reads the input names 0 as padding.
    """

    use: LossUse
    target: TensorKey
    input: TensorKey
    share: float
    steps: int
    is_declared: bool


def padding_in_targets(run: Run, uses: list[LossUse]) -> list[PaddingInTargets]:
    """The losses of classes that count padding, by what fills their targets and an input in each step."""
    by_target: dict[TensorKey, list[LossUse]] = {}
    for use in uses:
        if use.call.target is not None and _counts_zeros(use):
            by_target.setdefault(TensorKey(*use.call.target), []).append(use)
    inputs = [key for key, entry in run.of_type("input").items() if not entry.is_floating and len(entry.shape) == 2]
    compared = [_compare(run, target, key, of_target) for target, of_target in by_target.items() for key in inputs]
    return [each for each in compared if each is not None]


def _counts_zeros(use: LossUse) -> bool:
    """Whether a loss counts the class 0 like others, and returns one number for all targets."""
    ignored = use.call.options.get("ignore_index")
    is_of_classes = use.call.function in {"cross_entropy", "nll_loss"} and use.call.options.get("reduction") in {"mean", "sum"}
    return is_of_classes and ignored != 0 and not has_class_weights(use.call)


def _compare(run: Run, target: TensorKey, key: TensorKey, uses: list[LossUse]) -> PaddingInTargets | None:
    shares = []
    for use in uses:
        given, read = moment(run, target, use.position), moment(run, key, use.position)
        if given is None or read is None or given.entry.is_floating or read.samples[0] < 2 or read.sizes[0] == read.samples[0]:
            return None
        room = _SHIFT * int(read.samples[0])
        if abs(int(given.sizes[0] - read.sizes[0])) > room or abs(int(given.counts[0, 3] - read.counts[0, 3])) > room:
            return None
        # Nothing but padding varies so much in both.
        if int(read.counts[0, 3]) <= room:
            return None
        shares.append(float(given.zero_share[0]))
    share, is_declared = float(np.median(shares)), _has_padding(run, key)
    if len(shares) < LEAST_STEPS or share < (SHARE_OF_PADDING if is_declared else SHARE_OF_ZEROS):
        return None
    return PaddingInTargets(uses[0], target, key, share, len(shares), is_declared)


def _has_padding(run: Run, key: TensorKey) -> bool:
    """Whether an embedding that reads an input has a row for padding, and that row is 0."""
    modules = {module.name: module.description for module in run.network.modules if module.type == "Embedding"}
    readers = [run.tensors[child].module for child in training_graph(run).children.get(key, ()) if child in run.tensors]
    return any("padding_idx=0" in modules.get(reader or "", "") for reader in readers)
