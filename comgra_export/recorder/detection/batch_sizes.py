"""How many samples the batch of a detected step has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from comgra_export.recorder.host.gaps import GapKeeper, describe_error
from comgra_export.recorder.host.torch_internals import without_function_overrides
from comgra_export.recorder.modules.ports import batch_size_of
from comgra_export.storage.model.lines import Gap

__all__ = ["BatchSize", "BatchSizes"]

BatchSize = int | Callable[..., int] | None
"""A number; a function of what the watched module is called with; or None for the size of the first dimension of the first tensor."""


class BatchSizes:
    """Finds the size of a batch, as the user has said it should be found."""

    def __init__(self, batch_size: BatchSize, gap_keeper: GapKeeper) -> None:
        self._batch_size = batch_size
        self._gap_keeper = gap_keeper

    def of_call(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> int:
        """The size of the batch that a module is called with. If the user's function fails, it is found as if there were none."""
        if isinstance(self._batch_size, int):
            return self._batch_size
        if self._batch_size is not None:
            try:
                size = self._batch_size(*arguments, **named)
                if not isinstance(size, bool) and int(size) == size and size >= 0:
                    return int(size)
                reason = f"the function batch_size returned {size!r}, which is no size"
            except Exception as error:
                reason = f"the function batch_size failed ({describe_error(error)})"
            self._gap_keeper.report("batch size", Gap(f"{reason}. The size of the first dimension of the first tensor is used"))
        with without_function_overrides():
            return batch_size_of(arguments, named)
