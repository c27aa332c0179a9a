"""Which samples of a batch are recorded one by one, and what they are called."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Number

import numpy as np
from torch import Tensor

from comgra_export.errors import MisuseError
from comgra_export.storage.model.step_description import RecordedSamples

__all__ = ["check_labels", "choose_samples", "recorded_samples"]


def check_labels(call: str, argument: str, labels: object, batch_size: int) -> tuple[str, ...]:
    """Turns the category or id that the user gave for each sample into strings.

    Args:
        call: The call of the recorder, for messages.
        argument: The argument of that call.
        labels: A list, tuple, numpy array or tensor with one dimension, of strings or numbers. A tensor on an accelerator is copied to
            the CPU, which waits for the device.
        batch_size: How many labels there must be.

    Raises:
        MisuseError: The labels are something else, or have another length.
    """
    label = f"{call}: {argument}"
    values: Sequence[object]
    if isinstance(labels, (Tensor, np.ndarray)):
        if labels.ndim != 1:
            raise MisuseError(
                f"{label} has the shape {list(labels.shape)}. Give one dimension, with an entry for each sample of the batch."
            )
        values = labels.tolist()
    elif isinstance(labels, Sequence) and not isinstance(labels, (str, bytes, bytearray)):
        values = labels
    else:
        raise MisuseError(f"{label} is a {type(labels).__name__}. Give a list with an entry for each sample of the batch.")
    if len(values) != batch_size:
        raise MisuseError(f"{label} has {len(values)} entries, but the batch has {batch_size} samples. Give one for each sample.")
    return tuple(_as_string(label, index, value) for index, value in enumerate(values))


def choose_samples(batch_size: int, max_samples: int | None, categories: Sequence[str] | None) -> tuple[int, ...]:
    """Picks the samples that are recorded one by one.

    Categories take turns, in the order in which they first appear in the batch, and each gives its samples in the order of the batch,
    until there are enough.

    Args:
        batch_size: How many samples there are.
        max_samples: How many are wanted at most; None for all.
        categories: The category of each sample; None to take the first samples.

    Returns:
        Positions in the batch, sorted by category and then position.
    """
    count = batch_size if max_samples is None else min(batch_size, max_samples)
    if categories is None:
        return tuple(range(count))
    turns: list[int] = []
    seen: dict[str, int] = {}
    for category in categories:
        seen[category] = turn = seen.get(category, -1) + 1
        turns.append(turn)
    first_appearance = {category: order for order, category in enumerate(seen)}
    picked = sorted(range(batch_size), key=lambda index: (turns[index], first_appearance[categories[index]]))[:count]
    return tuple(sorted(picked, key=lambda index: (categories[index], index)))


def recorded_samples(call: str, batch_size: int, max_samples: int | None, categories: object | None, ids: object | None) -> RecordedSamples:
    """Picks the samples that are recorded one by one, with what the user says of them.

    `choose_samples` and `check_labels` describe the arguments, and what raises.
    """
    all_categories = None if categories is None else check_labels(call, "category_per_sample", categories, batch_size)
    all_ids = None if ids is None else check_labels(call, "sample_ids", ids, batch_size)
    chosen = choose_samples(batch_size, max_samples, all_categories)
    return RecordedSamples(
        index=chosen,
        id=None if all_ids is None else tuple(all_ids[index] for index in chosen),
        category=None if all_categories is None else tuple(all_categories[index] for index in chosen),
    )


def _as_string(label: str, index: int, value: object) -> str:
    if isinstance(value, (Tensor, np.ndarray)) and value.ndim == 0:
        value = value.item()
    if not isinstance(value, (str, Number, np.generic)):
        raise MisuseError(f"{label} has a {type(value).__name__} for sample {index}. Give strings or numbers.")
    return str(value)
