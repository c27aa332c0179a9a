"""What could not be read, in sentences whose number does not grow with the number of damaged steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

__all__ = ["Problems", "steps_in_words"]

_NUMBERS_LISTED = 5


@dataclass
class _Affected:
    """The steps of a trial that miss something, and why the first one does."""

    reason: str
    steps: list[int] = field(default_factory=list)


class Problems:
    """Collects what is missing in a bundle.

    Args:
        sentences: What is known already.
    """

    def __init__(self, sentences: Iterable[str]) -> None:
        self._sentences = list(sentences)
        self._steps: dict[str, _Affected] = {}
        self._graphs: dict[str, _Affected] = {}
        self._calls: dict[str, _Affected] = {}
        self._histograms: dict[str, _Affected] = {}
        self._flows: dict[str, _Affected] = {}
        self._merged: dict[str, _Affected] = {}

    def add(self, sentences: Iterable[str]) -> None:
        """Adds sentences."""
        self._sentences.extend(sentences)

    def step_left_out(self, trial: str, step: int, reason: str, *, merged: bool = False) -> None:
        """Says that a step is not in the bundle; with `merged`, that it is not shown for all ranks together, which is not counted."""
        _add(self._merged if merged else self._steps, trial, step, reason)

    def graph_left_out(self, trial: str, step: int, reason: str) -> None:
        """Says that the graph of an iteration of a step is not in the bundle."""
        _add(self._graphs, trial, step, reason)

    def calls_left_out(self, trial: str, step: int, reason: str) -> None:
        """Says that the calls of watched modules in an iteration of a step are not in the bundle."""
        _add(self._calls, trial, step, reason)

    def histograms_left_out(self, trial: str, step: int, reason: str) -> None:
        """Says that the histograms of a step are not in the bundle."""
        _add(self._histograms, trial, step, reason)

    def flow_left_out(self, trial: str, step: int, reason: str) -> None:
        """Says that a gradient flow of a step is not in the bundle."""
        _add(self._flows, trial, step, reason)

    @property
    def steps_left_out(self) -> int:
        """How many steps are not in the bundle, over all trials."""
        return sum(len(affected.steps) for affected in self._steps.values())

    @property
    def sentences(self) -> list[str]:
        """All of it, each sentence once: what was added, then what misses steps, graphs and so on, a sentence per trial."""
        steps = _sentences(self._steps, "could not be read and is left out")
        merged = _sentences(self._merged, "is not shown")
        graphs = _sentences(self._graphs, "has no dependency graph")
        calls = _sentences(self._calls, "has no module graph")
        histograms = _sentences(self._histograms, "has no histograms")
        flows = _sentences(self._flows, "lacks a gradient flow")
        return list(dict.fromkeys([*self._sentences, *steps, *merged, *graphs, *calls, *histograms, *flows]))


def _add(affected: dict[str, _Affected], trial: str, step: int, reason: str) -> None:
    steps = affected.setdefault(trial, _Affected(reason)).steps
    # Several iterations of a step may miss the same.
    if step not in steps[-1:]:
        steps.append(step)


def _sentences(affected: dict[str, _Affected], what: str) -> list[str]:
    return [f"{steps_in_words(trial, of_trial.steps)} {what}. {of_trial.reason}" for trial, of_trial in affected.items()]


def steps_in_words(trial: str, steps: Sequence[int]) -> str:
    """Returns the beginning of a sentence about one or several steps of a trial, in the singular; of many it names the first ones."""
    if len(steps) == 1:
        return f"Step {steps[0]} of {trial}"
    listed = ", ".join(map(str, steps[:_NUMBERS_LISTED]))
    more = f" and {len(steps) - _NUMBERS_LISTED:,} more" if len(steps) > _NUMBERS_LISTED else ""
    return f"Each of {len(steps):,} steps of {trial} (step {listed}{more})"
