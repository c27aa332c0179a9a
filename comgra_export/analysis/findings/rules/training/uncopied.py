"""Networks that are to follow others, as their names show, and never get their weights."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.losses import entries_of, through_views
from comgra_export.analysis.findings.rules.parameters import copied_from, followed_by, moves, received_gradients
from comgra_export.analysis.findings.rules.steps_to_loss import StepToLoss
from comgra_export.analysis.findings.rules.weights import is_as_initialized
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey
from comgra_export.storage import TensorEntry

__all__ = ["Uncopied", "still_values", "uncopied"]

# Norms are float32.
_SAME = 1e-5


class Uncopied(NamedTuple):
    """A parameter that never changes, and is as PyTorch initializes it, and the one that it is to follow.

    Attributes:
        name: The parameter.
        original: The other one.
        is_average: Whether it is to be a moving average of that, and not a copy.
    """

    name: str
    original: str
    is_average: bool


def uncopied(run: Run, step: StepToLoss) -> list[Uncopied]:
    """The parameters that are to follow others, had other values than those from the start, and keep them while those change."""
    parameters = []
    for entry in run.network.parameters:
        name = entry.name
        # Looking for the other one takes longest.
        if entry.alias_of is not None or not (_is_still(run, name) and is_as_initialized(run, name)):
            continue
        average = followed_by(run, name)
        followed = average or copied_from(run, name)
        if followed is None:
            continue
        is_used = bool(step.graph.children.get(TensorKey(name, -1)))
        if is_used and _are_apart(run, name, followed) and (average is not None or not _is_answer(run, name, followed)):
            parameters.append(Uncopied(name, followed, average is not None))
    return parameters


def still_values(run: Run, name: str) -> bool:
    """Whether a parameter is known to be the same in all recorded steps."""
    values = run.values(TensorKey(name, -1))
    is_unmoved = name not in run.parameters or not moves(run, name)
    return is_unmoved and values is not None and bool(np.ptp(values.norm) == 0)


def _is_still(run: Run, name: str) -> bool:
    """Whether nothing moves a parameter, and no gradient asks for it."""
    received = received_gradients(run, name)
    return still_values(run, name) and (not len(received) or bool(received.absent.all()))


def _are_apart(run: Run, name: str, followed: str) -> bool:
    """Whether a parameter had other values than the one it follows already when that one had not yet been trained."""
    own, other = (run.values(TensorKey(each, -1)) for each in (name, followed))
    if own is None or other is None or not moves(run, followed):
        return False
    return bool(own.positions[0] == other.positions[0]) and not np.isclose(own.norm[0], other.norm[0], rtol=_SAME)


def _is_answer(run: Run, name: str, followed: str) -> bool:
    """Whether the network of a parameter is random on purpose, and the other one learns to say what it says.

    Then what it returns is a target as it is, or is made into one of the same shape, or stands beside what the other one returns in the
    same shape. The target network of Q-learning says only a part of a target, which is a single number.
    """
    own, other = _parts(name, followed)
    for position in np.flatnonzero(run.is_training)[:1].tolist():
        graph, entries = run.graph(position), entries_of(run, position)
        for call in run.steps[position].losses:
            target = None if call.target is None else TensorKey(*call.target)
            if target is None or target not in entries:
                continue
            sources = [entries[key].shape for key in graph.parents.get(target, ()) if _is_of(entries, key, own)]
            is_large = prod(entries[target].shape) > entries[target].shape[0] if entries[target].shape else False
            if _is_of(entries, through_views(run, position, target), own) or (is_large and entries[target].shape in sources):
                return True
        for parents in graph.parents.values():
            of_own = [entries[key].shape for key in parents if _is_of(entries, key, own)]
            if any(entries[key].shape in of_own for key in parents if _is_of(entries, key, other)):
                return True
    return False


def _parts(name: str, followed: str) -> tuple[str, str]:
    """The networks of two parameters: their names up to where they differ."""
    pairs = list(zip(name.split("."), followed.split("."), strict=True))
    end = next(place for place, (mine, theirs) in enumerate(pairs) if mine != theirs) + 1
    return ".".join(mine for mine, _ in pairs[:end]), ".".join(theirs for _, theirs in pairs[:end])


def _is_of(entries: dict[TensorKey, TensorEntry], key: TensorKey, network: str) -> bool:
    """Whether a module of a network made a tensor."""
    module = None if key not in entries else entries[key].module
    return module is not None and (module == network or module.startswith(f"{network}."))
