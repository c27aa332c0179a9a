"""A training step, and what the recorder knows of it so far."""

from __future__ import annotations

from dataclasses import dataclass

from comgra_export.storage.model.step_description import RecordedSamples

__all__ = ["StepState"]


@dataclass(kw_only=True, slots=True)
class StepState:
    """What the parts of a recorded step share.

    Attributes:
        batch_size: `B`.
        per_sample_by_default: Whether tensors are recorded per sample if the call does not say.
        samples: The samples recorded one by one (`S` of them).
        epoch: In which epoch it is; None if that is not known.
        trained: How many training steps were made before; None if that is not known.
        is_provisional: Whether it is still open if the step is recorded. Until then, it is held back.
        is_given_up: Whether it is too late to record the step.
        iteration: The iteration in progress, or the last one; None before the first.
        lacks_calls: Whether the step goes on after its last recorded iteration.
        triggered: Why the step is recorded although it was not due; None otherwise.
    """

    number: float
    batch_size: int
    per_sample_by_default: bool
    samples: RecordedSamples
    epoch: float | None = None
    trained: int | None = None
    is_provisional: bool = False
    is_given_up: bool = False
    iteration: int | None = None
    lacks_calls: bool = False
    triggered: str | None = None
