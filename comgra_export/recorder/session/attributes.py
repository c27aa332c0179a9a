"""What a script may read from the recorder, under the names of comgra."""

from __future__ import annotations

from pathlib import Path

from comgra_export.recorder.session.lifecycle import StepLifecycle
from comgra_export.recorder.session.step_recording import StepRecording

__all__ = ["RecorderAttributes"]


class RecorderAttributes:
    """Attributes that scripts for comgra read.

    Attributes:
        notes: The notes that the script has added, as text.
    """

    notes: list[str]
    _trial_path: Path
    _steps: StepLifecycle
    _recording: StepRecording

    @property
    def training_step(self) -> float | None:
        """The number of the step in progress, or of the last one; None before the first."""
        return self._steps.step

    @property
    def type_of_execution(self) -> str | None:
        """The type of the step in progress, or of the last one; None before the first, and as long as it is not known."""
        return self._recording.type_of_execution

    @property
    def trial_path(self) -> Path:
        """The folder of the trial. If the recorder is inactive, it need not be there."""
        return self._trial_path

    @property
    def group_path(self) -> Path:
        """The folder of the group."""
        return self._trial_path.parent
