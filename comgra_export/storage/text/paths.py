"""Where the parts of a recording are inside its folder."""

from __future__ import annotations

import hashlib
import re

__all__ = [
    "CALLS",
    "CONFIG",
    "CURVES",
    "FLOWS",
    "FOLDERS",
    "GAPS",
    "HEADER",
    "JOURNAL",
    "LAYOUTS",
    "LINES",
    "LOCK",
    "MAX_STEP",
    "NETWORK",
    "NOTES",
    "SENTINELS",
    "SHARED",
    "STEPS",
    "STRUCTURES",
    "blob_name",
    "description_name",
    "flow_name",
    "flow_pattern",
    "hash_name",
    "hash_of",
    "is_part_of_recording",
    "step_of_description",
]

HEADER = "recording.json"
NETWORK = "network.json"
CONFIG = "config.json"
NOTES = "notes.jsonl"
CURVES = "curves.jsonl"
GAPS = "gaps.jsonl"
JOURNAL = "journal.jsonl"
SENTINELS = "sentinels.jsonl"
LOCK = "writing.lock"
LAYOUTS = "layouts"
STRUCTURES = "structures"
CALLS = "calls"
STEPS = "steps"
FLOWS = "flows"

LINES = (NOTES, CURVES, GAPS, JOURNAL, SENTINELS)
"""The files that are appended to."""

SHARED = (LAYOUTS, STRUCTURES, CALLS)
"""The folders of files that are named by the hash of their content, and shared by steps."""

FOLDERS = (*SHARED, STEPS, FLOWS)
"""All folders of a recording."""

MAX_STEP = 999_999_999_999

_NAMED = "|".join(map(re.escape, (HEADER, NETWORK, CONFIG, LOCK, *LINES)))
_OF_STEP = rf"{STEPS}/[0-9]{{12}}\.(json|safetensors)|{FLOWS}/[0-9]{{12}}-[0-9]{{3}}\.safetensors"
_NUMBERED = rf"({'|'.join(SHARED)})/[0-9a-f]{{16}}\.json|{_OF_STEP}"
# What a killed process left half-written ends in `.tmp`.
_FILE = re.compile(rf"({_NAMED}|{_NUMBERED})(\.tmp)?")
_DESCRIPTION = re.compile("([0-9]{12})[.]json")


def description_name(step: int) -> str:
    """File name of a step's description."""
    return f"{step:012d}.json"


def blob_name(step: int) -> str:
    """File name of a step's numbers."""
    return f"{step:012d}.safetensors"


def flow_name(step: int, position: int) -> str:
    """File name of the numbers of a step's gradient flow."""
    return f"{step:012d}-{position:03d}.safetensors"


def flow_pattern(step: int) -> str:
    """Pattern for the file names of all gradient flows of a step."""
    return f"{step:012d}-*.safetensors"


def hash_name(digest: str) -> str:
    """File name of a layout, a structure or a tree of calls."""
    return f"{digest}.json"


def hash_of(data: bytes) -> str:
    """The hash under which a layout, a structure or a tree of calls of these bytes is stored."""
    return hashlib.sha256(data).hexdigest()[:16]


def is_part_of_recording(name: str) -> bool:
    """Whether the format names this file, given by its path below the rank folder with `/`; or it is a temporary form of one."""
    return _FILE.fullmatch(name) is not None


def step_of_description(name: str) -> int | None:
    """The step whose description has this file name; None for every other name."""
    match = _DESCRIPTION.fullmatch(name)
    return None if match is None else int(match[1])
