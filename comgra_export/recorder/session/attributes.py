"""What a script may read from the recorder, under the names of comgra."""

from __future__ import annotations

import os
from pathlib import Path

from comgra_export.recorder.session.lifecycle import StepLifecycle
from comgra_export.recorder.session.step_recording import StepRecording
from comgra_export.storage.text.names import folder_of_name

__all__ = ["RecorderAttributes"]


class RecorderAttributes:
    """Attributes that scripts for comgra read.

    Attributes:
        notes: The notes that the script has added, as text.
        group: The name of the group.
        trial_id: The name of the trial.
        folder: The folder of the recording; None if the recorder is inactive.
    """

    notes: list[str]
    group: str
    trial_id: str
    folder: Path | None
    _root: str | os.PathLike[str]
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
        if self.folder is not None:
            return self.folder.parent
        return Path(self._root).absolute() / folder_of_name(self.group) / folder_of_name(self.trial_id)

    @property
    def group_path(self) -> Path:
        """The folder of the group."""
        return self.trial_path.parent
