"""How many threads compute what the recorder needs."""

from __future__ import annotations

import os
import threading

import torch

__all__ = ["leave_processors_to_training", "threads_to_use"]


class _Here(threading.local):
    is_alone = False


_here = _Here()
_is_forked = False


def leave_processors_to_training() -> None:
    """From now on, this thread computes alone: it works beside the training, whose threads are busy."""
    _here.is_alone = True


def threads_to_use() -> int:
    """On how many threads something may be computed while this one waits for it: as many as torch would take."""
    return 1 if _here.is_alone or _is_forked else torch.get_num_threads()


def _stay_alone() -> None:
    # The other threads of a process are not there in its children, and to wait for them there would take forever.
    global _is_forked
    _is_forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_stay_alone)
