"""Whether a script's calls and the ends of its steps were seen, and the warnings if they were not."""

from __future__ import annotations

from comgra_export.recorder.host.gaps import GapKeeper

__all__ = ["Sightings"]


class Sightings:
    """What was seen of a script's training loop.

    Attributes:
        call: Whether there was a call of a watched module that a step could begin with.
        end: Whether there was an end of a training step.
        missed_ends: Whether there were calls of training whose ends were not seen.
    """

    def __init__(self) -> None:
        self.call = self.end = self.missed_ends = False

    def warn(self, gap_keeper: GapKeeper) -> None:
        """Says at the end what was missing, and what to do about it."""
        if not self.call:
            gap_keeper.warn(
                "no call",
                "No call of a watched module was seen, so nothing was recorded. Does the loader yield batches, and does the loop call "
                "this very module, not a copy of it? Calls of model.forward(x) are not seen: write model(x). If the module was compiled "
                "in place, by module.compile(), use torch.compile(module).",
            )
        elif self.missed_ends:
            gap_keeper.warn(
                "no end",
                "No optimizer of PyTorch made a step with parameters of a watched module, so all calls count as one training step. "
                "Call the recorder's step() at the end of each training step.",
            )
