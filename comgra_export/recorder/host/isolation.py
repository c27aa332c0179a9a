"""Computing within a training script, whatever modes the script is in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

__all__ = ["is_plain", "undisturbed"]


@contextmanager
def undisturbed() -> Iterator[None]:
    """Lets the recorder compute with the user's tensors.

    Nothing is tracked, cast to lower precision, or seen by modes and subclasses that override functions; and what is made can be changed
    in place later, also where the script is in inference mode.
    """
    autocast = [torch.autocast(kind, enabled=False) for kind in ("cpu", "cuda") if torch.is_autocast_enabled(kind)]
    with torch._C.DisableTorchFunction(), torch.inference_mode(False), torch.no_grad():
        for context in autocast:
            context.__enter__()
        try:
            yield
        finally:
            for context in reversed(autocast):
                context.__exit__(None, None, None)


def is_plain(tensor: Tensor) -> bool:
    """Whether torch itself computes with it. A subclass of its own kind might communicate with other processes."""
    return type(tensor).__torch_dispatch__ is Tensor.__torch_dispatch__
