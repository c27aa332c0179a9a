"""What a step is begun with: its number, its batch size and its type."""

from __future__ import annotations

import re
from operator import index

from comgra_export.errors import MisuseError
from comgra_export.storage.text.names import shown
from comgra_export.storage.text.paths import MAX_STEP

__all__ = ["check_numbers_of_step", "check_type_of_execution"]

_TYPE_OF_EXECUTION = re.compile(r"[a-zA-Z0-9-_]+")


def check_numbers_of_step(training_step: object, current_batch_size: object) -> tuple[int, int]:
    """The number and the batch size of a step, as integers.

    Raises:
        MisuseError: One of them is none, or out of range.
    """
    step = _as_integer(training_step)
    if step is None:
        raise MisuseError(f"start_batch: training_step is {shown(training_step)}. Give an integer.")
    if not 0 <= step <= MAX_STEP:
        raise MisuseError(f"start_batch: training_step {step} is not between 0 and {MAX_STEP}. Count steps from 0.")
    batch_size = _as_integer(current_batch_size)
    if batch_size is None or batch_size < 0:
        raise MisuseError(f"start_batch: current_batch_size is {shown(current_batch_size)} in step {step}. Give the number of samples.")
    return step, batch_size


def check_type_of_execution(type_of_execution: object) -> str:
    """The type of a step.

    Raises:
        MisuseError: It is no string of letters, digits, `-` and `_`, or is reserved.
    """
    if not isinstance(type_of_execution, str) or not _TYPE_OF_EXECUTION.fullmatch(type_of_execution):
        raise MisuseError(f"The type_of_execution is {shown(type_of_execution)}. Use only letters, digits, - and _.")
    if type_of_execution == "any_value" or type_of_execution.startswith("__"):
        raise MisuseError(
            f"The type_of_execution is {type_of_execution!r}, which is reserved. Choose another name, without __ at its beginning."
        )
    return type_of_execution


def _as_integer(value: object) -> int | None:
    try:
        return index(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, RuntimeError):  # The last two are those of tensors.
        return None
