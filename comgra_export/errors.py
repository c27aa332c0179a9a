"""The exceptions of the package.

```text
ComgraExportError
├── MisuseError              a call that its caller must change
│   └── TrialExistsError     there is a recording of the trial already, or one is being written
├── AdapterError             a function that `rerun` called has failed
├── RecordingGapError        a strict recorder met something that it cannot record
├── RecordingError           a recording cannot be used
│   ├── NotARecordingError   there is none at the path given
│   ├── NewerFormatError     it was written by a newer version
│   ├── DamagedRecordingError  a part of it contradicts the format
│   └── ForeignDataError     data of another tool cannot be read
└── ExportError              a bundle cannot be written
    ├── WrongChoiceError     an argument or a setting is not understood, or names what is not there
    │   └── UnknownTrialError    there is no trial of this name
    ├── OutputExistsError    something is already there
    └── OutputNotWritableError  the place cannot be written to
```
"""

from __future__ import annotations

__all__ = [
    "AdapterError",
    "ComgraExportError",
    "DamagedRecordingError",
    "ExportError",
    "ForeignDataError",
    "MisuseError",
    "NewerFormatError",
    "NotARecordingError",
    "OutputExistsError",
    "OutputNotWritableError",
    "RecordingError",
    "RecordingGapError",
    "TrialExistsError",
    "UnknownTrialError",
    "WrongChoiceError",
]


class ComgraExportError(Exception):
    """Root of all errors that this package raises on purpose. The message says what was wrong, where, and what to do."""


class MisuseError(ComgraExportError, ValueError):
    """A call of the recorder with wrong arguments, or in the wrong order. Raised at once, at the call that is wrong."""


class TrialExistsError(MisuseError):
    """There is a recording of the trial already, or a recorder of this or another process still writes it."""


class AdapterError(ComgraExportError):
    """The function that `rerun` was given raised an exception, which is the cause of this one, or recorded nothing."""


class RecordingGapError(ComgraExportError):
    """Something could not be recorded, and the recorder was made with `strict=True`."""


class RecordingError(ComgraExportError):
    """A recording cannot be used."""


class NotARecordingError(RecordingError):
    """There is no recording at the path given."""


class NewerFormatError(RecordingError):
    """The recording's format version is newer than this reader."""


class DamagedRecordingError(RecordingError):
    """A file of the recording is missing, cut off, or contradicts the format."""


class ForeignDataError(RecordingError):
    """Data of another tool is not what that tool writes, or asks for more than numbers and text."""


class ExportError(ComgraExportError):
    """A bundle cannot be written."""


class WrongChoiceError(ExportError, ValueError):
    """An argument or a setting is not understood, or names a trial, step, tensor, sample or rule that is not there."""


class UnknownTrialError(WrongChoiceError, KeyError):
    """There is no trial of a name that was looked up, or there are several. A `KeyError`, as that of any mapping."""

    def __str__(self) -> str:
        # A KeyError shows its message in quotes.
        return Exception.__str__(self)


class OutputExistsError(ExportError):
    """Something already exists at the output path, and replacing it was not asked for.

    Attributes:
        is_replaceable: Whether it is replaced if that is asked for, with `force=True` or, on the command line, `--force`.
    """

    def __init__(self, message: str, *, is_replaceable: bool = False) -> None:
        super().__init__(message)
        self.is_replaceable = is_replaceable

    def __str__(self) -> str:
        return self.with_remedy("force=True")

    def with_remedy(self, option: str) -> str:
        """The message, and what to do, with what the caller has to ask for it: `--force` on the command line."""
        message = super().__str__()
        return f"{message} Pass {option} to replace it, or choose another name." if self.is_replaceable else message


class OutputNotWritableError(ExportError):
    """The output path cannot be written to."""
