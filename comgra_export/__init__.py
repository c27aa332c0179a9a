"""Record what happens inside a PyTorch network, and share it as one HTML page.

Importing this package imports no torch: the recorder is loaded when one of its names is first used. The slot `my_recorder` is for code
that should not pass its recorder around: assign `comgra_export.my_recorder = ComgraRecorder(...)` once, and use it anywhere in the
process.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from comgra_export.errors import (
    AdapterError,
    ComgraExportError,
    DamagedRecordingError,
    ExportError,
    ForeignDataError,
    MisuseError,
    NewerFormatError,
    NotARecordingError,
    OutputExistsError,
    OutputNotWritableError,
    RecordingError,
    RecordingGapError,
    TrialExistsError,
    UnknownTrialError,
    WrongChoiceError,
)
from comgra_export.version import __version__

if TYPE_CHECKING:
    from comgra_export.analysis.findings.reports import findings
    from comgra_export.exporter import export
    from comgra_export.reading import read
    from comgra_export.recorder import (
        ComgraFindingWarning,
        ComgraRecorder,
        ComgraRecordingWarning,
        DecisionMakerForRecordings,
        DecisionMakerForRecordingsFrequencyPerType,
        DecisionMakerForRecordingsHardcoded,
        TensorReference,
        rerun,
        watch,
    )

    my_recorder: ComgraRecorder

__all__ = [
    "AdapterError",
    "ComgraExportError",
    "ComgraFindingWarning",
    "ComgraRecorder",
    "ComgraRecordingWarning",
    "DamagedRecordingError",
    "DecisionMakerForRecordings",
    "DecisionMakerForRecordingsFrequencyPerType",
    "DecisionMakerForRecordingsHardcoded",
    "ExportError",
    "ForeignDataError",
    "MisuseError",
    "NewerFormatError",
    "NotARecordingError",
    "OutputExistsError",
    "OutputNotWritableError",
    "RecordingError",
    "RecordingGapError",
    "TensorReference",
    "TrialExistsError",
    "UnknownTrialError",
    "WrongChoiceError",
    "__version__",
    "export",
    "findings",
    "read",
    "rerun",
    "watch",
]

_WITHOUT_TORCH = {
    "export": "comgra_export.exporter",
    "findings": "comgra_export.analysis.findings.reports",
    "read": "comgra_export.reading",
}
_ROOMS = {name: "comgra_export.recorder" for name in __all__ if name not in globals()} | _WITHOUT_TORCH


_INSTALL = "Install it with: pip install 'comgra-export[recorder]'"
_OLDEST_TORCH = (2, 8)


def __getattr__(name: str) -> object:
    if name == "my_recorder":
        raise AttributeError(
            "comgra_export.my_recorder is not set. Assign a recorder to it: comgra_export.my_recorder = ComgraRecorder(...)"
        )
    room = _ROOMS.get(name)
    if room is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if room == "comgra_export.recorder":
        _require_torch(name)
    return getattr(import_module(room), name)


def _require_torch(name: str) -> None:
    try:
        version = import_module("torch").__version__
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError(f"comgra_export.{name} needs torch. {_INSTALL}", name="torch") from error
    # Before, PyTorch did not tell whether somebody watches what is saved for the backward pass.
    if tuple(int(part) for part in version.split(".")[:2]) < _OLDEST_TORCH:
        oldest = ".".join(map(str, _OLDEST_TORCH))
        raise ImportError(f"comgra_export.{name} needs torch {oldest} or newer, and this is {version}. {_INSTALL}", name="torch")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
