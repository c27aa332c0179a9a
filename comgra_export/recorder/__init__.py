"""Everything that runs inside the training process. The only room that needs torch."""

from __future__ import annotations

from comgra_export.recorder.gaps import ComgraRecordingWarning
from comgra_export.recorder.recorder import ComgraRecorder
from comgra_export.recorder.registrations import TensorReference
from comgra_export.recorder.rerun import rerun
from comgra_export.recorder.schedules import (
    DecisionMakerForRecordings,
    DecisionMakerForRecordingsFrequencyPerType,
    DecisionMakerForRecordingsHardcoded,
)
from comgra_export.recorder.watching import watch

__all__ = [
    "ComgraRecorder",
    "ComgraRecordingWarning",
    "DecisionMakerForRecordings",
    "DecisionMakerForRecordingsFrequencyPerType",
    "DecisionMakerForRecordingsHardcoded",
    "TensorReference",
    "rerun",
    "watch",
]
