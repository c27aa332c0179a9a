"""Compiled code runs as it was written on recorded steps, so that what happens in it can be seen."""

from __future__ import annotations

import re
import warnings
from typing import Any, ClassVar

import torch

from comgra_export.recorder.host.torch_internals import compiler_backends, is_compiler_imported

__all__ = ["CompiledModulesSilence", "EagerExecution", "compiler_is_used"]


def compiler_is_used() -> bool:
    """Whether something in this process may be compiled.

    Importing the compiler to find out would take a second. Optimizers import it too, so its presence says little. It alone knows what it
    has compiled with: if it does not say, it counts as used.
    """
    if not is_compiler_imported():
        return False
    backends = compiler_backends()
    return backends is None or any(backend is not None and backend is not False for backend in backends.values())


class EagerExecution:
    """Turns compiled code off between `start` and `stop`, as long as any recorder wants it so. Nothing is compiled anew afterwards."""

    _running = 0
    _stance: ClassVar[Any] = None

    def __init__(self) -> None:
        self._is_running = False

    def start(self) -> None:
        """Begins, if a compiler is used."""
        if self._is_running or not compiler_is_used():
            return
        if not EagerExecution._running:
            EagerExecution._stance = torch.compiler.set_stance("force_eager")
        EagerExecution._running += 1
        self._is_running = True

    def stop(self) -> None:
        """Puts things back as they were, unless another recorder still needs them."""
        if not self._is_running:
            return
        self._is_running = False
        EagerExecution._running -= 1
        if not EagerExecution._running:
            stance, EagerExecution._stance = EagerExecution._stance, None
            stance.__exit__(None, None, None)


class CompiledModulesSilence:
    """Keeps compiled modules, between `start` and `stop`, from saying on every call that there are hooks of all modules.

    If warnings are errors, that would end the training.
    """

    def __init__(self) -> None:
        message = re.compile(r"Using `torch\.compile\(module\)` when there are global hooks")
        self._filter = ("ignore", message, UserWarning, None, 0)
        self._changed_filters: list[Any] | None = None

    def start(self) -> None:
        """Begins, if something may be compiled, or goes on where other filters have come before ours."""
        changed = self._changed_filters
        if changed is warnings.filters and changed and changed[0] is self._filter:
            return
        self.stop()
        if is_compiler_imported():
            # Without the functions of `warnings`, which would have warnings shown again that were shown once already.
            self._changed_filters = warnings.filters  # type: ignore[assignment]
            warnings.filters.insert(0, self._filter)  # type: ignore[attr-defined]

    def stop(self) -> None:
        """Puts the filters of warnings back as they were."""
        if self._changed_filters is not None:
            changed, self._changed_filters = self._changed_filters, None
            if warnings.filters is changed and changed and changed[0] is self._filter:
                del changed[0]
                return
            # A `catch_warnings` that began or ended meanwhile has put another list in its place, or a copy.
            for filters in (changed, warnings.filters):
                filters[:] = [entry for entry in filters if entry is not self._filter]  # type: ignore[index]
