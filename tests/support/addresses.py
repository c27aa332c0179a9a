"""Recordings at addresses."""

from __future__ import annotations

from pathlib import Path

import fsspec


def copy_to(folder: Path, address: str) -> str:
    """Copies all files of a folder to an address, and returns it."""
    files, root = fsspec.core.url_to_fs(address)
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            target = f"{root}/{file.relative_to(folder).as_posix()}"
            files.makedirs(target.rpartition("/")[0], exist_ok=True)
            files.put_file(str(file), target)
    return address


def contents_at(address: str) -> dict[str, bytes]:
    """All files at an address, by their paths in it."""
    files, root = fsspec.core.url_to_fs(address)
    files.invalidate_cache()
    return {path.removeprefix(root).strip("/"): files.cat_file(path) for path in files.find(root)}


def contents_of(folder: Path) -> dict[str, bytes]:
    """All files of a folder, by their paths in it."""
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
