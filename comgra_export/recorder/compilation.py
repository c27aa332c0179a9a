"""Compiled code runs as it was written on recorded steps, so that what happens in it can be seen."""

from __future__ import annotations

import sys
from typing import Any, ClassVar

import torch

__all__ = ["EagerExecution", "compiler_is_used"]


def compiler_is_used() -> bool:
    """Whether something in this process may be compiled.

    Importing the compiler to find out would take a second; but optimizers import it too, so that it is there says little. What it has
    compiled with is known to it alone: where it does not say, it counts as used.
    """
    if "torch._dynamo" not in sys.modules:
        return False
    backends = getattr(sys.modules.get("torch._dynamo.eval_frame"), "cached_backends", None)
    return not isinstance(backends, dict) or any(backend is not None and backend is not False for backend in backends.values())


class EagerExecution:
    """Turns compiled code off between `start` and `stop`, as long as any recorder wants it so. Nothing is compiled anew afterwards.

    Versions of PyTorch before 2.6 cannot do so: there, every call of the recorder within compiled code breaks its graph.
    """

    _running = 0
    _stance: ClassVar[Any] = None

    def __init__(self) -> None:
        self._is_running = False

    def start(self) -> None:
        """Begins, where a compiler is used."""
        if self._is_running or not compiler_is_used() or not hasattr(torch.compiler, "set_stance"):
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
