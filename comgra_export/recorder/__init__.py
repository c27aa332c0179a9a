"""Everything that runs inside the training process: the only room that needs torch."""

from __future__ import annotations

from comgra_export.recorder.host.gaps import ComgraRecordingWarning
from comgra_export.recorder.output.announcements import ComgraFindingWarning
from comgra_export.recorder.session.recorder import ComgraRecorder
from comgra_export.recorder.session.rerun import rerun
from comgra_export.recorder.session.schedules import (
    DecisionMakerForRecordings,
    DecisionMakerForRecordingsFrequencyPerType,
    DecisionMakerForRecordingsHardcoded,
)
from comgra_export.recorder.session.watch import watch
from comgra_export.recorder.tracing.registrations import TensorReference

__all__ = [
    "ComgraFindingWarning",
    "ComgraRecorder",
    "ComgraRecordingWarning",
    "DecisionMakerForRecordings",
    "DecisionMakerForRecordingsFrequencyPerType",
    "DecisionMakerForRecordingsHardcoded",
    "TensorReference",
    "rerun",
    "watch",
]
