"""A recorded step whose training step is over: the rest of the work needs neither the user's tensors nor the training thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple, Protocol

from comgra_export.storage.model.calls import CallTree
from comgra_export.storage.model.gradient_flows import FlowNumbers, GradientFlow, PairNumbers
from comgra_export.storage.model.layout import Blob, Layout, Structure
from comgra_export.storage.model.lines import Gap
from comgra_export.storage.model.step_description import (
    DropoutCall,
    GradientFacts,
    LossCall,
    ModuleRuns,
    ParameterFacts,
    RecordedSamples,
    StepException,
    TargetFact,
    TensorReference,
    TokenFact,
)

__all__ = ["FinishedStep", "NumbersToCompute", "RecordedFlow", "StepNumbers"]


class RecordedFlow(NamedTuple):
    """A gradient flow and its numbers."""

    flow: GradientFlow
    numbers: FlowNumbers

    @property
    def size(self) -> int:
        """How many bytes its numbers take."""
        arrays = [*self.numbers.values, *self.numbers.gradients]
        for pair in self.numbers.pairs:
            arrays += [getattr(pair, field.name) for field in fields(PairNumbers)]
        return sum(array.nbytes for array in arrays if array is not None)


class StepNumbers(NamedTuple):
    """The numbers of a step, ready to be written.

    Attributes:
        layout: Which tensors there are, in which groups.
        parameters: The norms of the parameters and of their updates; None if there are none.
        optimizers: The names of the optimizers whose learning rates these are.
        target_facts: How its targets compare with its inputs.
        token_facts: The tensors in which the tokens of a sample are almost the same.
    """

    layout: Layout
    arrays: Sequence[tuple[str, Blob]]
    parameters: ParameterFacts | None = None
    learning_rates: tuple[tuple[float, ...], ...] | None = None
    gradients: tuple[GradientFacts, ...] = ()
    optimizers: tuple[str, ...] = ()
    target_facts: tuple[TargetFact, ...] = ()
    token_facts: tuple[TokenFact, ...] = ()


class NumbersToCompute(Protocol):
    """The numbers of a step, some of which still have to arrive from their device or to be computed."""

    def compute(self) -> StepNumbers:
        """Waits for the devices, and computes what is left. The thread that writes calls it once."""


@dataclass(frozen=True, kw_only=True)
class FinishedStep:
    """What is written of a step. The training thread makes it, and another thread writes it.

    What `StepDescription` also has means the same here.

    Attributes:
        numbers: Its numbers, which the thread that writes computes.
        size: About how many bytes the numbers take.
        structures: The dependency graph of every iteration; None if it is missing.
        trained: How many training steps were made before; None if that is not known.
        lacks_calls: Whether the training step goes on after what is recorded of it.
        held_bytes: As in `StepDescription`, but without the arrays.
        calls: The calls of watched modules in every iteration; None if there were none. Empty if no module is watched.
    """

    number: float
    type_of_execution: str
    batch_size: int
    numbers: NumbersToCompute
    size: int
    samples: RecordedSamples
    structures: tuple[Structure | None, ...]
    triggered: str | None = None
    trained: int | None = None
    lacks_calls: bool = False
    module_runs: ModuleRuns | None = None
    held_bytes: int | None = None
    gaps: tuple[Gap, ...] = ()
    calls: tuple[CallTree | None, ...] = ()
    epoch: float | None = None
    flows: tuple[RecordedFlow, ...] = ()
    losses: tuple[LossCall, ...] = ()
    backward_roots: tuple[TensorReference, ...] = ()
    exceptions: tuple[StepException, ...] = ()
    dropouts: tuple[DropoutCall, ...] = ()
