"""Where the parts of a recording are inside its folder."""

from __future__ import annotations

import hashlib
import re

__all__ = [
    "CURVES",
    "GAPS",
    "HEADER",
    "LAYOUTS",
    "NETWORK",
    "NOTES",
    "STEPS",
    "STRUCTURES",
    "blob_name",
    "description_name",
    "hash_name",
    "hash_of",
    "step_of_description",
]

HEADER = "recording.json"
NETWORK = "network.json"
NOTES = "notes.jsonl"
CURVES = "curves.jsonl"
GAPS = "gaps.jsonl"
LAYOUTS = "layouts"
STRUCTURES = "structures"
STEPS = "steps"

_DESCRIPTION = re.compile("([0-9]{12})[.]json")


def description_name(step: int) -> str:
    """File name of a step's description."""
    return f"{step:012d}.json"


def blob_name(step: int) -> str:
    """File name of a step's numbers."""
    return f"{step:012d}.safetensors"


def hash_name(digest: str) -> str:
    """File name of a layout or structure."""
    return f"{digest}.json"


def hash_of(data: bytes) -> str:
    """The hash under which a layout or structure of these bytes is stored."""
    return hashlib.sha256(data).hexdigest()[:16]


def step_of_description(name: str) -> int | None:
    """The step whose description has this file name; None for every other name."""
    match = _DESCRIPTION.fullmatch(name)
    return None if match is None else int(match[1])
