"""Who has called us: the line of the user's to which a warning points, or a `GradScaler`."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import torch
from torch.amp import GradScaler

__all__ = ["calling_scaler", "level_of_user"]

_FRAMES_TO_SCALER = 16
"""A scaler is looked for so many calls up. Between it and us lie the modes that watch functions, which may be the user's too."""

_FOLDERS = [str(folder) + os.sep for folder in (Path(__file__).resolve().parents[2], Path(torch.__file__).resolve().parent)]
# Between the user's line and ours lie hooks of PyTorch's and managers of contexts.
_NOT_THE_USERS = (*_FOLDERS, contextlib.__file__)


def level_of_user() -> int:
    """The `stacklevel` with which a warning, given by the caller of this function, points to the user's line.

    That is the innermost one that is neither in this package nor in PyTorch; 1 if there is none, as in a thread of ours.
    """
    level = 1
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(_NOT_THE_USERS):
        if frame.f_back is None:
            return 1
        frame = frame.f_back
        level += 1
    return level


def calling_scaler() -> GradScaler | None:
    """The scaler whose `scale` has called the function of PyTorch that is running now; None if none has."""
    frame = sys._getframe(1)
    for _ in range(_FRAMES_TO_SCALER):
        if frame.f_code.co_name == "scale":
            owner = frame.f_locals.get("self")
            if isinstance(owner, GradScaler):
                return owner
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return None
