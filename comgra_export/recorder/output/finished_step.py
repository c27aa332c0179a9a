"""A recorded step whose training step is over: what is left to do needs neither the user's tensors nor the training thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from comgra_export.recorder.output.recorded_flow import RecordedFlow
from comgra_export.storage.model import (
    Blob,
    CallTree,
    Gap,
    GradientFacts,
    Layout,
    ModuleRuns,
    ParameterFacts,
    RecordedSamples,
    Structure,
)

__all__ = ["FinishedStep"]


@dataclass(frozen=True)
class FinishedStep:
    """What is written of a step. Made by the training thread, written by another one.

    Attributes:
        number: The training step.
        type_of_execution: Its type.
        batch_size: `B`.
        numbers: Waits for the numbers to arrive from their device, computes what is left to compute, and returns what the step holds and
            its arrays by name. Called once, in the thread that writes.
        size: About how many bytes all that takes.
        samples: The samples recorded one by one.
        structures: The dependency graph of every iteration; None where it is missing.
        parameters: Waits for the norms of the parameters, likewise; None where there are none.
        learning_rates: Waits for what of them is on a device, likewise.
        gradients: Waits for the scale of the loss, likewise.
        triggered: As in `StepDescription`, and so are the rest.
        held_bytes: As there, without the arrays.
        calls: The calls of watched modules in every iteration; None where there were none. Empty where no module is watched.
        epoch: As in `StepDescription`.
        flows: The gradient flows and their numbers.
    """

    number: int
    type_of_execution: str
    batch_size: int
    numbers: Callable[[], tuple[Layout, Sequence[tuple[str, Blob]]]]
    size: int
    samples: RecordedSamples
    structures: tuple[Structure | None, ...]
    parameters: Callable[[], ParameterFacts | None] = lambda: None
    learning_rates: Callable[[], tuple[tuple[float, ...], ...] | None] = lambda: None
    gradients: Callable[[], tuple[GradientFacts, ...]] = lambda: ()
    triggered: str | None = None
    module_runs: ModuleRuns | None = None
    held_bytes: int | None = None
    gaps: tuple[Gap, ...] = field(default_factory=tuple)
    calls: tuple[CallTree | None, ...] = ()
    epoch: float | None = None
    flows: tuple[RecordedFlow, ...] = ()
