"""How a session of a writer begins: in a new folder, or in one that holds a recording."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from comgra_export.errors import MisuseError
from comgra_export.storage.codec.config import Config
from comgra_export.storage.codec.decode_network import MAX_PREFIXES
from comgra_export.storage.codec.encode import encode_header
from comgra_export.storage.files.lock import WritingLock
from comgra_export.storage.files.recording_files import refuse_links_in
from comgra_export.storage.files.writing import remove_temporary_files, write_json
from comgra_export.storage.model.network import Network
from comgra_export.storage.model.recording import VERSION, Header
from comgra_export.storage.reader import open_recording
from comgra_export.storage.sessions import last_session
from comgra_export.storage.text import paths

__all__ = ["Continued", "begin_recording", "continue_recording"]


class Continued(NamedTuple):
    """What a recording held before a further session.

    Attributes:
        session: The number of the further session.
    """

    header: Header
    session: int
    network: Network
    config: Config


def begin_recording(folder: Path, header: Header, lock: WritingLock) -> None:
    """Writes the header of a new recording.

    Raises:
        MisuseError: The folder holds a recording, or the header has too many prefixes.
        OSError: The folder cannot be written to.
    """
    if len(header.prefixes_for_grouping_module_parameters_visually) > MAX_PREFIXES:
        raise MisuseError(f"prefixes_for_grouping_module_parameters_visually has more than {MAX_PREFIXES:,} prefixes. Give fewer.")
    taken = os.path.lexists(folder / paths.HEADER)
    if not taken:
        try:
            # Without working locks, one of several processes that try this at the same instant succeeds. With a lock, what is
            # there was left by one that was killed before it had written the header.
            (folder / paths.STEPS).mkdir(exist_ok=lock.keeps_others_out)
        except FileExistsError:
            taken = True
    if taken:
        raise MisuseError(f"There is a recording in {folder} already. Choose another trial name, or remove that folder first.")
    try:
        _write_header(folder, header)
    except BaseException:
        (folder / paths.STEPS).rmdir()
        raise


def continue_recording(folder: Path, header: Header) -> Continued:
    """Makes a recording ready for a further session.

    Raises:
        MisuseError: It is that of another group, trial, rank or number of processes.
        RecordingError: It is damaged or newer.
        OSError: The folder cannot be written to.
    """
    recording = open_recording(folder)
    refuse_links_in(folder)
    for what in ("group", "trial", "rank", "world_size"):
        recorded, given = getattr(recording.header, what), getattr(header, what)
        if recorded != given:
            raise MisuseError(
                f"The recording in {folder} has the {what} {recorded!r} and not {given!r}, so it cannot be appended to. "
                "Choose another trial name."
            )
    if recording.header.version < VERSION:
        # Before anything is written that an older reader would misunderstand.
        header = replace(recording.header, version=VERSION)
        _write_header(folder, header)
    else:
        header = recording.header
    continued = Continued(header, 1 + (last_session(recording.journal) or 0), recording.network, recording.config)
    (folder / paths.STEPS).mkdir(exist_ok=True)
    remove_temporary_files(folder)
    return continued


def _write_header(folder: Path, header: Header) -> None:
    write_json(folder / paths.HEADER, encode_header(header), checksum=header.checksums)
