"""What could not be read, in sentences whose number does not grow with the number of damaged steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from comgra_export.storage.text.steps import step_in_words, step_label

__all__ = ["AffectedSteps", "Lack", "Problems", "steps_in_words"]

_NUMBERS_LISTED = 5

Lack = Literal["step", "merged step", "graph", "calls", "histograms", "flow"]
"""What a bundle lacks of a step. A merged step is the step for all ranks together, which is not counted."""

_IN_WORDS: dict[Lack, str] = {
    "step": "could not be read and is left out",
    "merged step": "is not shown",
    "graph": "has no dependency graph",
    "calls": "has no module graph",
    "histograms": "has no histograms",
    "flow": "lacks a gradient flow",
}


@dataclass
class AffectedSteps:
    """The steps of a trial that miss something, ascending, and why the first of them does."""

    reason: str
    steps: list[float] = field(default_factory=list)

    def add(self, step: float) -> None:
        """Adds a step. Several of its iterations may miss the same."""
        if step not in self.steps[-1:]:
            self.steps.append(step)


class Problems:
    """Collects what is missing in a bundle, besides what is known already."""

    def __init__(self, sentences: Iterable[str]) -> None:
        self._sentences = list(sentences)
        self._affected: dict[Lack, dict[str, AffectedSteps]] = {lack: {} for lack in _IN_WORDS}

    def add(self, sentences: Iterable[str]) -> None:
        """Adds sentences."""
        self._sentences.extend(sentences)

    def left_out(self, what: Lack, trial: str, step: float, reason: str) -> None:
        """Says what of a step is not in the bundle, and why."""
        self._affected[what].setdefault(trial, AffectedSteps(reason)).add(step)

    @property
    def steps_left_out(self) -> int:
        """How many steps are not in the bundle, over all trials."""
        return sum(len(affected.steps) for affected in self._affected["step"].values())

    @property
    def sentences(self) -> list[str]:
        """All of it, each sentence once: what was added, then what misses steps, graphs and so on, a sentence per trial."""
        missing = [
            f"{steps_in_words(trial, affected.steps)} {_IN_WORDS[lack]}. {affected.reason}"
            for lack, trials in self._affected.items()
            for trial, affected in trials.items()
        ]
        return list(dict.fromkeys([*self._sentences, *missing]))


def steps_in_words(trial: str, steps: Sequence[float]) -> str:
    """Returns the beginning of a sentence about one or several steps of a trial, in the singular; of many it names the first ones."""
    if len(steps) == 1:
        return f"{step_in_words(steps[0]).capitalize()} of {trial}"
    listed = ", ".join(map(step_label, steps[:_NUMBERS_LISTED]))
    more = f" and {len(steps) - _NUMBERS_LISTED:,} more" if len(steps) > _NUMBERS_LISTED else ""
    return f"Each of {len(steps):,} steps of {trial} (step {listed}{more})"
