"""What a rule finds."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from math import isfinite, log10
from typing import Literal

from comgra_export.storage import SourceLine

__all__ = ["Evidence", "Finding", "Neighbour", "Place", "PlaceKind", "Severity"]


class Severity(IntEnum):
    """How sure it is that something is wrong."""

    INFORMATION = 0
    """Good to know. Never counted as a problem."""
    SYMPTOM = 1
    """Something that follows from a problem, or may be intended."""
    PROBLEM = 2
    """Likely a problem."""
    BUG = 3
    """Almost certainly a bug."""

    def __str__(self) -> str:
        """The name, as in JSON and on the command line: `bug`."""
        return self.name.lower()

    def __format__(self, specification: str) -> str:
        """The name, in a format for texts."""
        return format(str(self), specification)


PlaceKind = Literal["tensor", "parameter", "module", "optimizer", "loss", "run"]


Neighbour = Literal["before", "caller", "input", "prediction", "target", "loss"]
"""Places around a place: what it was computed from, the module whose own `forward` computed it, and the inputs of the network behind it;
and, of the loss that it goes into, the prediction, the target, and what the backward pass began from."""


@dataclass(frozen=True)
class Place:
    """Where something is wrong.

    Attributes:
        kind: What it is. `optimizer`, `loss` and `run` may have no name.
        name: As the recording calls it: of a tensor, a parameter, a module.
        iteration: The iteration of a tensor; None for anything else.
        source: The line of the code that made the tensor, or what the module returned; None if it is not known. Rules leave it out.
    """

    kind: PlaceKind
    name: str = ""
    iteration: int | None = None
    source: SourceLine | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Evidence:
    """A view that shows what a finding says.

    Attributes:
        group: Which records: `forward`, or a group of gradients.
        name: The tensor.
        iteration: Its iteration.
        step: The step to look at.
        item: The statistic that is plotted over the steps, such as `abs_mean`; None to show the tensor at that step.
        caption: What to see there, in a sentence.
        sample: The position in the batch of the sample to look at; None for the mean over the batch.
    """

    group: str
    name: str
    iteration: int
    step: float
    item: str | None
    caption: str
    sample: int | None = None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something that is wrong, or may be.

    Attributes:
        rule: The name of the rule.
        severity: How sure it is.
        message: What is wrong, in one or two sentences, with the measured value. Names and code stand in backticks.
        places: Where: the first is the cause or the worst; further ones are affected in the same way.
        step: Since which recorded step; None if it holds for the whole run.
        value: The measured value; None if the rule needs no limit.
        limit: The limit that it crosses; None if there is none.
        comparison: What the value would be otherwise, as a sentence: that of a peer or an ancestor, or the usual range. Empty if there is
            no limit.
        advice: One to three things to try.
        wrong_if: What would show that the finding is wrong, as a sentence; empty if nothing is known.
        evidence: Views that show it, the best first.
        neighbours: What to look at next if the first place is not it, the most likely first. Only `find` reads it, so two findings may
            differ in it and be equal.
        look_next: The places of that kind that the recording holds, at most three. `find` fills them in.
    """

    rule: str
    severity: Severity
    message: str
    places: tuple[Place, ...]
    advice: tuple[str, ...]
    step: float | None = None
    value: float | None = None
    limit: float | None = None
    comparison: str = ""
    wrong_if: str = ""
    evidence: tuple[Evidence, ...] = ()
    neighbours: tuple[Neighbour, ...] = field(default=(), compare=False, repr=False)
    look_next: tuple[Place, ...] = ()

    @property
    def place(self) -> Place:
        """Where it is in the first place."""
        return self.places[0]

    @property
    def margin(self) -> float:
        """How far the value is beyond the limit, in powers of ten; infinite without a limit, or if one of them is 0 or not finite."""
        if not self.value or not self.limit or not isfinite(self.value) or not isfinite(self.limit):
            return float("inf")
        # Not the logarithm of the quotient, which may be too small for a float.
        return abs(log10(abs(self.value)) - log10(abs(self.limit)))
