"""The exceptions of a step: a step that is written went on after them, so the script or the network caught them."""

from __future__ import annotations

from collections.abc import Callable

from comgra_export.storage.model.step_description import StepException

__all__ = ["StepExceptions"]

_MOST = 100
"""At most this many are kept of a step."""


class StepExceptions:
    """Takes note of the exceptions that functions of PyTorch and tracked modules raise in a step. It keeps none of them alive.

    Args:
        iteration: The iteration in progress, or the last one; None before the first.
    """

    def __init__(self, iteration: Callable[[], int | None]) -> None:
        self.noted: list[StepException] = []
        self._iteration = iteration
        self._last: tuple[int, int] | None = None

    def note(self, error: BaseException | None, module: str | None, function: str | None = None) -> None:
        """Takes note of an exception where it is raised, and not again where it passes.

        Args:
            error: The exception. None: nothing is noted.
            module: The innermost tracked module that was running.
            function: The function of PyTorch that raised it; None if it was the code of the module itself.
        """
        iteration = self._iteration()
        if error is None or iteration is None or len(self.noted) == _MOST:
            return
        # An exception that was caught leaves its identity to a later one, but hardly within one forward pass.
        passing = id(error), iteration
        if passing != self._last:
            self._last = passing
            self.noted.append(StepException(type(error).__name__, iteration, module, function))
