"""What a recording is: its header."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FORMAT", "VERSION", "Header"]

FORMAT = "comgra-recording"
VERSION = 3


@dataclass(frozen=True)
class Header:
    """`recording.json`.

    Attributes:
        version: That of the format.
        checksums: Whether every file and line has a checksum. A missing checksum is then damage.
    """

    group: str
    trial: str
    rank: int = 0
    world_size: int = 1
    writer: str = ""
    torch_version: str = ""
    started: str = ""
    prefixes_for_grouping_module_parameters_visually: tuple[str, ...] = ("",)
    max_num_batch_size_to_record: int | None = None
    version: int = VERSION
    checksums: bool = False
