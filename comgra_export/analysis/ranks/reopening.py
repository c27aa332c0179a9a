"""A recording, or those of all ranks, opened again in a worker: what travels there is where they are."""

from __future__ import annotations

from functools import lru_cache

from comgra_export.analysis.ranks.merged import MergedRecording, merge_ranks
from comgra_export.errors import ExportError, RecordingError
from comgra_export.storage import Place, Recording, open_recording

__all__ = ["opened_at", "places_of", "reopened"]


def places_of(recording: Recording | MergedRecording) -> tuple[Place, ...]:
    """The places of a recording, or of those of all ranks."""
    recordings = recording.recordings if isinstance(recording, MergedRecording) else (recording,)
    return tuple(each.folder.resolve() for each in recordings)


@lru_cache(maxsize=4)
def reopened(places: tuple[Place, ...], occasion: str) -> Recording | MergedRecording:  # noqa: ARG001 - it is part of the key.
    """As `opened_at`, once for each occasion: on another one, the files may be others."""
    return opened_at(places)


def opened_at(places: tuple[Place, ...]) -> Recording | MergedRecording:
    """Opens what is at places of `places_of`.

    Raises:
        ExportError: It cannot be opened here.
    """
    try:
        recordings = [open_recording(place) for place in places]
    except RecordingError as error:
        raise ExportError(f"A worker cannot open a recording. Give a place that all machines of the cluster reach. {error}") from error
    return recordings[0] if len(recordings) == 1 else merge_ranks(recordings)
