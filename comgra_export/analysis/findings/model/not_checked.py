"""Why a rule cannot be checked on a run: the recording lacks something, or the rule does not apply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

__all__ = ["HOW_TO_RECORD", "Lack", "NotCheckedError"]

Lack = Literal["network", "parameters", "optimizer", "training steps", "longer run", "evaluations", "gradients", "inputs", "loss"]
"""What a recording may lack."""

HOW_TO_RECORD: Mapping[Lack, str] = {
    "network": "Record the network with `watch(model, path)`, or with `recorder.watch(model)`.",
    "parameters": 'Track the network with `recorder.track_module("network", network)`, or watch it.',
    "optimizer": "Name the optimizer with `recorder.track_optimizers(optimizer)`.",
    "training steps": "Train for more steps, or record more of them: `every=1` records each.",
    "longer run": "Train for more steps.",
    "evaluations": "Record evaluations as steps too, between the training steps. `watch` does so by itself.",
    "gradients": 'Call `recorder.record_current_gradients("gradients")` after the backward pass. `watch` does so by itself.',
    "inputs": "Register the inputs with `is_input=True`, or watch the network.",
    "loss": "Register the loss with `is_loss=True`, or watch the network.",
}
"""What to do about each, as a sentence."""


class NotCheckedError(Exception):
    """A rule cannot be checked on this run.

    Args:
        reason: What the recording lacks, or why the rule does not apply, as a sentence without a full stop.
        lacks: What the recording lacks, if there is something in `HOW_TO_RECORD` that says how to record it.
        applies: Whether the rule might find something in this run if more of it were recorded. False if the run has nothing of what the
            rule looks at: no dropout, one process only, another kind of loss.
    """

    def __init__(self, reason: str, *, lacks: Lack | None = None, applies: bool = True) -> None:
        super().__init__(reason)
        self.applies = applies
        self.how_to_record = HOW_TO_RECORD[lacks] if lacks is not None and applies else ""
