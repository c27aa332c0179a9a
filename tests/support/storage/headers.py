"""Recordings with another header than the recorder wrote."""

from __future__ import annotations

from pathlib import Path

import orjson

from comgra_export.storage.text.checksums import CHECKSUM, with_checksum

__all__ = ["change_header"]


def change_header(rank_folder: Path, /, **members: object) -> None:
    """Replaces members of `recording.json` in a rank folder, as if the recorder had written it so."""
    file = rank_folder / "recording.json"
    content = {**orjson.loads(file.read_bytes()), **members}
    content.pop(CHECKSUM, None)
    file.write_bytes(with_checksum(orjson.dumps(content)))
