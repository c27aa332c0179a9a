"""What a test must not leave behind in the process, which the next test would have to live with."""

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
    """The global hooks of torch, the modes that watch its functions and operations, and the threads of recorders."""
    found: dict[str, object] = {
        "threads": sorted(thread.name for thread in threading.enumerate() if thread.name.startswith("comgra")),
    }
    if "torch" in sys.modules:
        import torch

        hooks = vars(torch.nn.modules.module)
        found |= {name: len(hooks[name]) for name in hooks if name.startswith("_global_") and isinstance(hooks[name], dict)}
        found["function modes"] = torch._C._len_torch_function_stack()
        found["dispatch modes"] = torch._C._len_torch_dispatch_stack()
    return found


@pytest.fixture(autouse=True)
def nothing_is_left_behind() -> Iterator[None]:
    """Fails a test after which a hook, a mode or a thread of the recorder is there that was not there before."""
    before = left_behind()
    yield
    after = _differences(before)
    if after:
        # What only waits for the garbage collector is not left behind.
        gc.collect()
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while (after := _differences(before)) and time.monotonic() < deadline:
            time.sleep(0.01)
    assert not after, f"left behind: {after}"


def _differences(before: dict[str, object]) -> dict[str, object]:
    """What is there now, and was not. Torch may have been imported since, with nothing in it."""
    return {name: value for name, value in left_behind().items() if value != before.get(name, 0)}
