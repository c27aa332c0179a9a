"""The error of a damaged bundle."""

from __future__ import annotations

from comgra_export.errors import DamagedRecordingError

__all__ = ["damaged"]


def damaged(file: str, what: str) -> DamagedRecordingError:
    """Makes the error that says what is wrong with a file of a bundle. The recording may be sound, so it names another remedy."""
    return DamagedRecordingError(f"{file} cannot be used: {what}. Build it again, or restore it from a copy.")
