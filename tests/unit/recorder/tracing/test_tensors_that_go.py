"""What is known of tensors goes with them, without Python code of ours: an interrupt in it would be swallowed."""

from __future__ import annotations

import gc
import sys
from types import FrameType

import torch

from comgra_export.recorder.host import held_records
from comgra_export.recorder.tracing.known_tensors import KnownTensors
from comgra_export.recorder.tracing.replay import SavedCopy
from comgra_export.recorder.tracing.values import Value


def test_tensors_memory_and_copies_that_go_run_no_python_code() -> None:
    known = KnownTensors()
    kept = [torch.zeros(3), torch.zeros(3)]
    for tensor in kept:
        known.keep(tensor, Value((), 0, None, False), known.memory_of(tensor, is_new=True))
    copies = [SavedCopy(tensor, tensor.untyped_storage()) for tensor in kept]
    # A cycle, which only the garbage collector frees.
    copies.append(copies)  # type: ignore[arg-type]
    memories = known._memories
    del tensor
    called: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_globals.get("__name__", "").startswith("comgra_export"):
            called.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        kept.clear()
        memories.clear()
        del copies
        gc.collect()
    finally:
        sys.setprofile(None)
    assert called == []
    held = len(held_records._holders)
    known.forget_all()
    assert len(held_records._holders) == held - 4
    assert known.by_id == {}
