"""The progress of an export."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Progress", "Report"]


@dataclass(frozen=True)
class Progress:
    """How far an export is.

    Attributes:
        stage: What is being done, to show beside a bar: `Reading`, `Checking`, `Drawing`, `Gathering`, `Packing`, `Writing`. Each stage
            starts again at 0.
        done: How much of the stage is done, in steps, bytes or chunks.
        total: What `done` reaches at the end of the stage; 0 if there is nothing to do.
    """

    stage: str
    done: int
    total: int


Report = Callable[[Progress], None]
