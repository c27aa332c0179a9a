"""Finds what a test leaves behind in the process, where it would disturb the next test."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Iterator

import pytest

__all__ = ["left_behind", "nothing_is_left_behind"]

# A thread of the recorder that has nothing more to do ends by itself.
_PATIENCE_SECONDS = 5.0


def left_behind() -> dict[str, object]:
    """The global hooks of torch, the modes that watch its functions and operations, what stands in place of its functions, and threads."""
    installed: dict[str, object] = {
        "threads": sorted(thread.name for thread in threading.enumerate() if thread.name.startswith("comgra")),
    }
    if "torch" in sys.modules:
        import torch

        hooks = vars(torch.nn.modules.module)
        installed |= {name: len(hooks[name]) for name in hooks if name.startswith("_global_") and isinstance(hooks[name], dict)}
        installed["function modes"] = torch._C._len_torch_function_stack()
        installed["backward"] = hasattr(torch.autograd.backward, "__wrapped__")
        installed["dispatch modes"] = torch._C._len_torch_dispatch_stack()
    return installed


@pytest.fixture(autouse=True)
def nothing_is_left_behind() -> Iterator[None]:
    """Fails a test that leaves a new hook, mode, function or thread of the recorder behind."""
    before = left_behind()
    yield
    after = _differences(before)
    if after:
        # Objects that only wait for the garbage collector do not count.
        gc.collect()
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while (after := _differences(before)) and time.monotonic() < deadline:
            time.sleep(0.01)
    assert not after, f"left behind: {after}"


def _differences(before: dict[str, object]) -> dict[str, object]:
    """What is new since `before`. If torch was imported since, its hooks were empty before."""
    return {name: value for name, value in left_behind().items() if value != before.get(name, 0)}
