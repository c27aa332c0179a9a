"""Where the parts of a recording are inside its folder."""

from __future__ import annotations

import hashlib
import re

from comgra_export.storage.text.steps import evaluation_number, parts_of_step

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

_NAMED = "|".join(map(re.escape, (HEADER, NETWORK, CONFIG, LOCK, *LINES)))
_STEP = "[0-9]{12}(-[0-9]{6})?"
_OF_STEP = rf"{STEPS}/{_STEP}\.(json|safetensors)|{FLOWS}/{_STEP}-[0-9]{{3}}\.safetensors"
_NUMBERED = rf"({'|'.join(SHARED)})/[0-9a-f]{{16}}\.json|{_OF_STEP}"
# What a killed process left half-written ends in `.tmp`.
_FILE = re.compile(rf"({_NAMED}|{_NUMBERED})(\.tmp)?")
_DESCRIPTION = re.compile("([0-9]{12})(?:-([0-9]{6}))?[.]json")


def description_name(step: float) -> str:
    """File name of a step's description."""
    return f"{_stem(step)}.json"


def blob_name(step: float) -> str:
    """File name of a step's numbers."""
    return f"{_stem(step)}.safetensors"


def flow_name(step: float, position: int) -> str:
    """File name of the numbers of a step's gradient flow."""
    return f"{_stem(step)}-{position:03d}.safetensors"


def flow_pattern(step: float) -> str:
    """Pattern for the file names of all gradient flows of a step, and of no evaluation before it."""
    return f"{_stem(step)}-[0-9][0-9][0-9].safetensors"


def hash_name(digest: str) -> str:
    """File name of a layout, a structure or a tree of calls."""
    return f"{digest}.json"


def hash_of(data: bytes) -> str:
    """The hash under which a layout, a structure or a tree of calls of these bytes is stored."""
    return hashlib.sha256(data).hexdigest()[:16]


def is_part_of_recording(name: str) -> bool:
    """Whether the format names this file, given by its path below the rank folder with `/`; or it is a temporary form of one."""
    return _FILE.fullmatch(name) is not None


def step_of_description(name: str) -> float | None:
    """The step whose description has this file name; None for every other name."""
    match = _DESCRIPTION.fullmatch(name)
    if match is None or match[2] is None:
        return None if match is None else int(match[1])
    return evaluation_number(int(match[1]), int(match[2])) if int(match[2]) else None


def _stem(step: float) -> str:
    trained, evaluation = parts_of_step(step)
    return f"{trained:012d}-{evaluation:06d}" if evaluation else f"{trained:012d}"
