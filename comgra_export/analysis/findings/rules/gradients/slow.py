"""What makes steps too small, as `updates-too-small` tells it."""

from __future__ import annotations

from dataclasses import dataclass

from comgra_export.analysis.findings.model.finding import Evidence, Place, Severity
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD

__all__ = ["Slow", "place_of_optimizer", "size_of"]


@dataclass(frozen=True)
class Slow:
    """A reason why weights hardly change. Its attributes are those of a `Finding`."""

    message: str
    places: tuple[Place, ...]
    step: float
    value: float | None = None
    limit: float | None = None
    comparison: str = ""
    evidence: tuple[Evidence, ...] = ()
    severity: Severity | None = None


def place_of_optimizer(run: Run) -> Place:
    """The first optimizer."""
    optimizers = run.network.optimizers or ()
    return Place("optimizer", optimizers[0].name if optimizers else "")


def size_of(weight: str, step: float) -> Evidence:
    """A view of the size of a weight."""
    return Evidence(FORWARD, weight, -1, step, "abs_mean", "The size of the weight over the steps.")
