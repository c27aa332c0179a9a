"""How much memory a process needed."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path

__all__ = ["peak_memory"]


def peak_memory() -> int:
    """Bytes that the process held at most so far. On Linux, `getrusage` may count what its parent held before it began."""
    status = Path("/proc/self/status")
    if status.exists() and (peak := re.search(r"VmHWM:\s*(\d+) kB", status.read_text())):
        return int(peak[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
