"""Reading a whole bundle, to see whether all of it is there and as it was written."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from comgra_export.errors import DamagedRecordingError
from comgra_export.reading.bundles.index import open_bundle
from comgra_export.storage import Place

__all__ = ["VerifiedBundle", "verify_bundle"]


class VerifiedBundle(NamedTuple):
    """What reading a bundle showed.

    Attributes:
        name: The name of the file or folder.
        steps: How many steps its trials have.
        has_index_checksum: Whether its index has a checksum. Its chunks always have one.
        problems: A sentence for everything that is damaged.
    """

    name: str
    steps: int
    has_index_checksum: bool
    problems: tuple[str, ...]


def verify_bundle(path: Place, on_chunk: Callable[[int], object] = lambda total: None) -> VerifiedBundle:  # noqa: ARG005
    """Reads the index and every chunk of a bundle, and compares them with their checksums.

    Args:
        path: A page, a zip or a folder.
        on_chunk: Called after each chunk with the number of all chunks, for progress.

    Raises:
        NotARecordingError: It is not a bundle.
        NewerFormatError: A newer version wrote it.
        DamagedRecordingError: Its index cannot be used.
    """
    bundle = open_bundle(path)
    faults = []
    for number in range(len(bundle.chunks)):
        try:
            bundle.chunks.raw(number)
        except DamagedRecordingError as error:
            faults.append(str(error))
        on_chunk(len(bundle.chunks))
    steps = sum(len(trial.numbers) for trial in bundle.trials)
    return VerifiedBundle(bundle.chunks.label, steps, bundle.index.has("crc32"), tuple(faults))
