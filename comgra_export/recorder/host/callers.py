"""Who has called us: the line of the user's to which a warning points."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import torch

__all__ = ["level_of_user"]

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
