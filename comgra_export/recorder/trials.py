"""The folder of a recording: its name, and what to do when there is one already."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Literal, get_args

from comgra_export.errors import MisuseError, NotARecordingError, RecordingError
from comgra_export.storage import open_recording
from comgra_export.storage.names import check_folder_name
from comgra_export.storage.paths import HEADER

__all__ = ["ExistingTrial", "prepare_folder", "process_rank"]

ExistingTrial = Literal["error", "replace", "rename"]

_RANK_FOLDER = re.compile("rank-[0-9]{1,18}")
# Everything that the recording format names; what a crash left half-written ends in `.tmp`.
_FILES = re.compile(r"(recording\.json|network\.json|(notes|curves|gaps|sentinels)\.jsonl)(\.tmp)?")
_FILES_IN_FOLDERS = {
    "layouts": re.compile(r"[0-9a-f]{16}\.json(\.tmp)?"),
    "structures": re.compile(r"[0-9a-f]{16}\.json(\.tmp)?"),
    "steps": re.compile(r"[0-9]{12}\.(json|safetensors)(\.tmp)?"),
}


def process_rank(rank: int | None, world_size: int | None) -> tuple[int, int]:
    """Which process of a distributed run this is: as given, else as `torchrun` says in RANK and WORLD_SIZE, else the only one.

    Returns:
        Rank and world size.

    Raises:
        MisuseError: They are no integers, or contradict each other.
    """
    try:
        rank = int(os.environ.get("RANK", "0")) if rank is None else int(rank)
        world_size = int(os.environ.get("WORLD_SIZE", str(rank + 1))) if world_size is None else int(world_size)
    except ValueError as error:
        raise MisuseError(
            f"ComgraRecorder: rank and world_size, or the environment variables RANK and WORLD_SIZE, are not integers ({error})."
        ) from None
    if not 0 <= rank < world_size:
        raise MisuseError(f"ComgraRecorder: the rank {rank} is not below the world_size {world_size}. Give both, counting ranks from 0.")
    return rank, world_size


def prepare_folder(root: Path, group: str, trial: str, rank: int, world_size: int, existing_trial: ExistingTrial) -> tuple[str, Path]:
    """Finds the folder that a recording goes to, and makes room in it. Nothing is created.

    A trial is taken where there is a recording of this rank, or one of any rank of a run with another number of processes.

    The processes of a run do not talk to each other. With `rename` they choose the same name, unless an earlier run of as many
    processes lacks the recordings of some ranks; with `replace`, rank 0 also deletes what an earlier run of more processes left.

    Args:
        root: Folder of all recordings.
        group: Name of the group.
        trial: Name of the trial.
        rank: Which process of the run this is.
        world_size: How many processes there are.
        existing_trial: What to do where a recording is already: `error`, `replace` (delete it) or `rename` (take `TRIAL-2`, or the next
            number that is free).

    Returns:
        The name of the trial, and the folder.

    Raises:
        MisuseError: A name is not usable; or there is a recording already, and it is not to be replaced, or there is something else in
            its folder.
    """
    if existing_trial not in get_args(ExistingTrial):
        raise MisuseError(f"ComgraRecorder: existing_trial is {existing_trial!r}. Use one of {', '.join(get_args(ExistingTrial))}.")
    check_folder_name("group", group)
    check_folder_name("trial", trial)
    own_folder = f"rank-{rank}"
    folder = root / group / trial
    if existing_trial == "replace":
        for old_folder in _rank_folders(folder):
            if old_folder.name == own_folder or (rank == 0 and int(old_folder.name.removeprefix("rank-")) >= world_size):
                _delete_recording(old_folder)
        return trial, folder / own_folder
    taken_by = _what_takes(folder, rank, world_size)
    if taken_by is None:
        return trial, folder / own_folder
    if existing_trial == "error":
        raise MisuseError(
            f"ComgraRecorder: there is a recording in {taken_by} already. Choose another trial_id, "
            "or pass existing_trial='rename' to record next to it, or existing_trial='replace' to delete it."
        )
    number = 2
    while _what_takes(root / group / f"{trial}-{number}", rank, world_size) is not None:
        number += 1
    renamed = check_folder_name("trial", f"{trial}-{number}")
    return renamed, root / group / renamed / own_folder


def _rank_folders(trial_folder: Path) -> list[Path]:
    """What lies where recordings of a trial do, save for empty folders."""
    if not trial_folder.is_dir():
        return []
    return [
        folder
        for folder in sorted(trial_folder.iterdir())
        if _RANK_FOLDER.fullmatch(folder.name) and not (folder.is_dir() and not any(folder.iterdir()))
    ]


def _what_takes(trial_folder: Path, rank: int, world_size: int) -> Path | None:
    for folder in _rank_folders(trial_folder):
        if folder.name == f"rank-{rank}" or _is_of_another_run(folder, world_size):
            return folder
    return None


def _is_of_another_run(folder: Path, world_size: int) -> bool:
    try:
        return open_recording(folder).header.world_size != world_size
    except NotARecordingError:
        return False
    except RecordingError:
        return True


def _delete_recording(folder: Path) -> None:
    """Deletes what the format names, and nothing else: foreign files would be somebody's work."""
    if folder.is_symlink() or not folder.is_dir():
        raise MisuseError(
            f"ComgraRecorder: {folder} is not a folder, so it is not replaced. Remove it yourself, or choose another trial_id."
        )
    files: list[Path] = []
    folders: list[Path] = []
    foreign: list[Path] = []
    for entry in sorted(folder.iterdir()):
        if entry.is_symlink():
            foreign.append(entry)
        elif entry.is_dir() and entry.name in _FILES_IN_FOLDERS:
            folders.append(entry)
            for inner in sorted(entry.iterdir()):
                is_ours = inner.is_file() and not inner.is_symlink() and _FILES_IN_FOLDERS[entry.name].fullmatch(inner.name)
                (files if is_ours else foreign).append(inner)
        else:
            (files if entry.is_file() and _FILES.fullmatch(entry.name) else foreign).append(entry)
    if foreign:
        named = ", ".join(entry.relative_to(folder).as_posix() for entry in foreign[:5])
        raise MisuseError(
            f"ComgraRecorder: {folder} holds what is no part of a recording ({named}), so it is not replaced. "
            "Move that away, or choose another trial_id."
        )
    # The header goes first: what a killed process leaves behind is then no recording, rather than half of one.
    for file in sorted(files, key=lambda file: file.name != HEADER):
        file.unlink()
    for inner_folder in [*folders, folder]:
        inner_folder.rmdir()
