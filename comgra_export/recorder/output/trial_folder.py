"""The folder of a recording: its name, and what to do if there is a recording already."""

from __future__ import annotations

import gc
import re
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Literal, get_args

from comgra_export.errors import MisuseError, NotARecordingError, RecordingError, TrialExistsError
from comgra_export.recorder.output.writing_thread import wait_for_abandoned
from comgra_export.storage import open_recording
from comgra_export.storage.files.lock import LockTakenError, LockTakenHereError, WritingLock, is_locked
from comgra_export.storage.text.names import check_folder_name, folder_of_name, is_possible_path, shown
from comgra_export.storage.text.paths import FOLDERS, HEADER, LOCK, is_part_of_recording

__all__ = ["ClaimedFolder", "ExistingTrial", "cannot_be_written_to", "claim_folder", "delete_recording"]

ExistingTrial = Literal["error", "replace", "rename", "append"]

_RANK_FOLDER = re.compile("rank-[0-9]{1,18}")


@dataclass(frozen=True)
class ClaimedFolder:
    """A folder that no other process writes to.

    Attributes:
        folder: The rank folder. It holds no recording, unless that is to be appended to.
        append: Whether to continue the recording in it.
    """

    trial: str
    folder: Path
    append: bool
    lock: WritingLock


def claim_folder(root: Path, group: str, trial: str, rank: int, world_size: int, existing_trial: ExistingTrial) -> ClaimedFolder:
    """Finds the folder that a recording goes to, makes room in it, and keeps other processes out of it.

    A trial is taken if there is a recording of this rank, or one of any rank of a run with another number of processes.

    The processes of a run do not talk to each other. With `rename` they choose the same name, unless an earlier run of as many processes
    lacks the recordings of some ranks, or another run begins at the same time. With `replace`, rank 0 also deletes what an earlier run of
    more processes left.

    Args:
        root: Folder of all recordings.
        group: Name of the group.
        trial: Name of the trial.
        rank: Which process of the run this is.
        world_size: How many processes there are.
        existing_trial: What to do if there is a recording already: `error`; `replace` (delete it); `rename` (take `TRIAL-2`, or the next
            number that is free); or `append` (continue it, for a run that is resumed from a checkpoint).

    Raises:
        TrialExistsError: There is a recording already, and it is not to be replaced; or a recorder of this or another process is writing
            one there.
        MisuseError: A name is not usable; or there is something else in the folder; or it cannot be made.
    """
    if existing_trial not in get_args(ExistingTrial):
        raise MisuseError(f"ComgraRecorder: existing_trial is {shown(existing_trial)}. Use one of {', '.join(get_args(ExistingTrial))}.")
    if not is_possible_path(str(root)):
        raise MisuseError(f"ComgraRecorder: the folder {str(root)!r} has a character that file names cannot have. Choose another one.")
    check_folder_name("group", group)
    check_folder_name("trial", trial)
    if existing_trial != "rename":
        return _claim(root / folder_of_name(group), trial, rank, world_size, existing_trial)
    for number in count(1):
        name = trial if number == 1 else check_folder_name("trial", f"{trial}-{number}")
        with suppress(TrialExistsError):
            return _claim(root / folder_of_name(group), name, rank, world_size, existing_trial)
    raise AssertionError


def cannot_be_written_to(folder: Path, error: OSError) -> MisuseError:
    """Makes the error for a folder in which no recording can begin."""
    return MisuseError(f"ComgraRecorder: the folder {folder} cannot be written to ({error.strerror}). Choose another comgra_root_path.")


def _claim(group_folder: Path, trial: str, rank: int, world_size: int, existing_trial: ExistingTrial) -> ClaimedFolder:
    trial_folder = group_folder / folder_of_name(trial)
    own_folder = trial_folder / f"rank-{rank}"
    replaced = _replaced_folders(trial_folder, rank, world_size) if existing_trial == "replace" else []
    try:
        _check_not_taken(trial_folder, rank, world_size, existing_trial)
    except TrialExistsError:
        if existing_trial != "rename":
            _check_not_being_written(trial_folder, own_folder)
        raise
    lock = _lock(own_folder)
    try:
        # Another process may have recorded something between the check and the lock.
        _check_not_taken(trial_folder, rank, world_size, existing_trial)
        for folder in replaced:
            delete_recording(folder, is_claimed=folder == own_folder)
    except BaseException:
        lock.release()
        raise
    return ClaimedFolder(trial, own_folder, existing_trial == "append", lock)


def _check_not_being_written(trial_folder: Path, own_folder: Path) -> None:
    """Raises a `LockTakenError` if a recorder is writing the trial: nothing else helps as long as it is open."""
    if is_locked(own_folder / LOCK):
        # A recorder of this process may only wait to be collected.
        _lock(own_folder).release()
    for folder in _rank_folders(trial_folder):
        if folder != own_folder and is_locked(folder / LOCK):
            raise LockTakenError(f"Another process is writing the recording in {folder}. Wait until it ends, or choose another trial_id.")


def _lock(folder: Path) -> WritingLock:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            return WritingLock(folder / LOCK)
        except LockTakenHereError:
            # A recorder that nobody refers to any more may only wait to be collected, and for its last steps to be written.
            gc.collect()
            wait_for_abandoned()
            return WritingLock(folder / LOCK)
    except OSError as error:
        raise cannot_be_written_to(folder, error) from error


def _rank_folders(trial_folder: Path) -> list[Path]:
    """The folders of a trial's recordings, and whatever else has such a name. Folders that were only claimed are left out."""
    if not trial_folder.is_dir():
        return []
    return [
        folder
        for folder in sorted(trial_folder.iterdir())
        if _RANK_FOLDER.fullmatch(folder.name) and not (folder.is_dir() and all(entry.name == LOCK for entry in folder.iterdir()))
    ]


def _check_not_taken(trial_folder: Path, rank: int, world_size: int, existing_trial: ExistingTrial) -> None:
    for folder in [] if existing_trial == "replace" else _rank_folders(trial_folder):
        if _is_of_another_run(folder, world_size) and existing_trial == "append":
            raise TrialExistsError(
                f"ComgraRecorder: {folder} cannot be read, or is not of a run of {world_size} processes, so it cannot be appended to. "
                "Choose another trial_id."
            )
        if existing_trial != "append" and (folder.name == f"rank-{rank}" or _is_of_another_run(folder, world_size)):
            raise TrialExistsError(
                f"ComgraRecorder: there is a recording in {folder} already. Choose another trial_id, or pass existing_trial='append' to "
                "continue it, existing_trial='rename' to record next to it, or existing_trial='replace' to delete it."
            )


def _is_of_another_run(folder: Path, world_size: int) -> bool:
    try:
        return open_recording(folder).header.world_size != world_size
    except NotARecordingError:
        return False
    except RecordingError:
        return True


def _replaced_folders(trial_folder: Path, rank: int, world_size: int) -> list[Path]:
    """The folder of this rank, and for rank 0 those of ranks that this run does not have."""
    folders = []
    for folder in _rank_folders(trial_folder):
        if folder.name == f"rank-{rank}" or (rank == 0 and int(folder.name.removeprefix("rank-")) >= world_size):
            if folder.is_symlink() or not folder.is_dir():
                raise MisuseError(
                    f"ComgraRecorder: {folder} is not a folder, so it is not replaced. Remove it yourself, or choose another trial_id."
                )
            folders.append(folder)
    return folders


def delete_recording(folder: Path, *, is_claimed: bool) -> None:
    """Deletes the files that the format names, and no others, which would be somebody's work. A claimed folder stays, with its lock.

    Raises:
        MisuseError: There are other files, and nothing was deleted.
    """
    lock = None if is_claimed else _lock(folder)
    folders = [part for part in (folder / name for name in FOLDERS) if part.is_dir() and not part.is_symlink()]
    files: list[Path] = []
    foreign: list[Path] = []
    for entry in sorted(file for part in (folder, *folders) for file in part.iterdir()):
        if entry in folders or (is_claimed and entry.name == LOCK):
            continue
        is_ours = entry.is_file() and not entry.is_symlink() and is_part_of_recording(entry.relative_to(folder).as_posix())
        (files if is_ours else foreign).append(entry)
    if lock is not None:
        lock.release()
    if foreign:
        named = ", ".join(entry.relative_to(folder).as_posix() for entry in foreign[:5])
        raise MisuseError(
            f"ComgraRecorder: {folder} holds something that is not part of a recording ({named}), so it is not replaced. "
            "Move it away, or choose another trial_id."
        )
    # The header goes first. So a process that is killed here leaves no recording behind, rather than half a recording.
    for file in sorted(files, key=lambda file: file.name != HEADER):
        file.unlink()
    for inner_folder in folders if is_claimed else [*folders, folder]:
        inner_folder.rmdir()
