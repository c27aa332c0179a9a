"""Keeps the records of storages, so that no other storage gets the address of one of them.

An object that goes runs no Python code for it: an interrupt in a `__del__` or in a callback would be swallowed, with a traceback. It is
only noted, and what it held is freed later.
"""

from __future__ import annotations

from collections import deque
from weakref import ref

import torch

from comgra_export.recorder.host.torch_internals import free_weak_storage, weak_storage

__all__ = ["free_records", "hold_record"]


class _Holder(ref[object]):
    __slots__ = ("record",)

    record: object


_holders: set[_Holder] = set()
_gone: deque[_Holder] = deque()


def hold_record(owner: object, storage: torch.UntypedStorage) -> None:
    """Keeps the record of a storage, but not its memory, at least as long as `owner` lives."""
    free_records()
    holder = _Holder(owner, _gone.append)
    holder.record = weak_storage(storage)
    _holders.add(holder)


def free_records() -> None:
    """Frees what was held for owners that are gone."""
    while True:
        try:
            holder = _gone.pop()
        except IndexError:  # Nothing is left, or another thread has taken it.
            return
        _holders.discard(holder)
        free_weak_storage(holder.record)
