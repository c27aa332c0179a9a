"""What goes together in a run without being a finding: an association names no cause, and has no severity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from comgra_export.analysis.findings.model.finding import Evidence

__all__ = ["CAUTION", "FAMILIES", "Association", "Associations", "Family", "FamilyCheck", "Measure"]

Family = Literal["category", "feature", "event", "step"]

FAMILIES: Mapping[Family, str] = {
    "category": "categories of samples and the loss",
    "feature": "statistics of samples and the loss",
    "event": "extreme values and sparse tensors",
    "step": "statistics of steps and the loss",
}
"""The kinds of pairs, in the order in which they are checked. Each is corrected for the number of its own pairs."""

CAUTION = "Associations only: they may reflect difficulty, rarity or labels, and say nothing about causes."

Measure = Literal["AUC", "rank correlation", "odds ratio"]


@dataclass(frozen=True, kw_only=True)
class Association:
    """Two things that go together.

    Attributes:
        family: The kind of pair.
        message: What goes together, with its size, the numbers of samples and both halves. Never why.
        measure: What the effects are. The AUC is the chance that a sample with the property has the larger value in its step: 0.5 if the
            two are unrelated. So is 0 of a rank correlation, and 1 of an odds ratio.
        effect: The effect in all samples, or steps.
        discovery: The effect in the half in which it was discovered.
        confirmation: The effect in the other half, in which it was confirmed.
        phases: In the first 20 %, the next 40 % and the last 40 % of training; None if there is too little of it.
        q: The share of false discoveries that its family must accept to report it, in the first half.
        samples: How many samples it rests on, each counted once, or how many steps.
        evidence: Views that show it.
    """

    family: Family
    message: str
    measure: Measure
    effect: float
    discovery: float
    confirmation: float
    phases: tuple[float | None, float | None, float | None]
    q: float
    samples: int
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class FamilyCheck:
    """What was checked of a kind of pairs.

    Attributes:
        pairs: How many pairs.
        passed: How many of them passed both halves and are large enough. One of several statistics of a tensor is reported.
        smallest: The smallest effect that would have been seen with a chance of 80 %, in words.
        left_out: How many pairs were not checked since there were too many.
    """

    pairs: int
    passed: int
    smallest: str
    left_out: int = 0

    @property
    def expected(self) -> float:
        """How many of those that passed are expected to have done so by chance, at most."""
        return 0.05 * self.passed

    @property
    def sentence(self) -> str:
        """What was checked, in words."""
        left_out = f" ({self.left_out:,} more not checked)" if self.left_out else ""
        pairs = f"{self.pairs:,} pair{'' if self.pairs == 1 else 's'}{left_out}"
        if self.passed:
            return f"{self.passed:,} of {pairs} passed, at most about {self.expected:.2g} of them by chance."
        return f"No association above the limits among {pairs} (smallest detectable: {self.smallest})."


@dataclass(frozen=True)
class Associations:
    """All that was checked for associations in a run.

    Attributes:
        reported: The largest ones, at most 10.
        more: How many others passed.
        checked: What was checked, by kind of pair.
        not_checked: Why the other kinds were not.
        notes: What limits what was checked: how samples were recognized, and categories with too few samples.
    """

    reported: tuple[Association, ...] = ()
    more: int = 0
    checked: Mapping[Family, FamilyCheck] = field(default_factory=dict)
    not_checked: Mapping[Family, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
