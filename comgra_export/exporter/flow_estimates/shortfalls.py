"""Which requested gradient flows could not be estimated: in sentences, or as an error if a flow has no estimate in any step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from comgra_export.analysis.gradient_flow import MAX_ESTIMATED_FLOWS
from comgra_export.errors import WrongChoiceError
from comgra_export.exporter.flow_estimates.tensors import Obstacle
from comgra_export.exporter.reporting.problems import AffectedSteps, steps_in_words
from comgra_export.storage.text.names import names_instead

__all__ = ["Shortfalls"]


class Shortfalls:
    """Collects the flows that could not be estimated, over all steps of a bundle."""

    def __init__(self) -> None:
        self._nearest: dict[tuple[str, ...], Obstacle] = {}
        self._complete: set[tuple[str, ...]] = set()
        self._missing: dict[tuple[str, str], AffectedSteps] = {}

    def note_complete(self, names: tuple[str, ...]) -> None:
        """Takes note that a step has all that the estimate of a sequence needs."""
        self._complete.add(names)

    def add(self, label: str, step: float, names: tuple[str, ...], obstacle: Obstacle) -> None:
        """Takes note of a step without an estimate of a sequence."""
        nearest = self._nearest.setdefault(names, obstacle)
        if obstacle.after > nearest.after:
            self._nearest[names] = obstacle
        self._add(label, step, f"through {', '.join(names)}: {obstacle.reason}", "")

    def add_too_many(self, label: str, step: float, source: str, target: str, flows: int, samples: int) -> None:
        """Takes note of two tensors between which there would be more flows than are estimated, in so many samples."""
        in_samples, fewer = (f" in {samples:,} samples", "fewer samples (samples=, --samples) or ") if samples > 1 else ("", "")
        most = f"at most {MAX_ESTIMATED_FLOWS:,} are estimated"
        reason = f": there would be {flows:,} flows{in_samples}, and {most}. Choose {fewer}smaller tensors"
        self._add(label, step, f"from {source} to {target}", reason)

    def sentences(self, known: Sequence[str]) -> Iterator[str]:
        """What is missing, a sentence for each trial and reason. `known` are the names of all tensors that there are.

        Raises:
            WrongChoiceError: There is no step of which a sequence can be estimated.
        """
        for names, obstacle in self._nearest.items():
            if names not in self._complete:
                raise WrongChoiceError(_nowhere(names, obstacle, known))
        for (label, what), missing in self._missing.items():
            yield f"{steps_in_words(label, missing.steps)} has no estimated flow {what}{missing.reason}."

    def _add(self, label: str, step: float, what: str, reason: str) -> None:
        self._missing.setdefault((label, what), AffectedSteps(reason)).add(step)


def _nowhere(names: tuple[str, ...], obstacle: Obstacle, known: Sequence[str]) -> str:
    """Why there is no estimate of a sequence in any step, and what to do."""
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        reason, remedy = f"no tensor is called {unknown!r}", names_instead(unknown, known) or ""
        if any("," in name for name in known):
            remedy += " A name that holds a comma can be given in Python only: estimate_flow=[[NAME, NAME]]."
    else:
        reason, remedy = obstacle.reason, obstacle.remedy
    return f"The flow through {', '.join(names)} cannot be estimated in any step: {reason}. {remedy}".rstrip()
