"""Recordings and bundles that earlier versions made, and what they hold."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.places import DATA

__all__ = ["NAMES", "earlier_digests", "expected_values", "recording_of", "unpack_page"]

_FOLDER = DATA / "made_by_0_1_0"

NAMES = ("by_hand", "watched")


def recording_of(name: str) -> Path:
    """The folder of a group with one trial of one rank."""
    return _FOLDER / name


def unpack_page(name: str, folder: Path) -> Path:
    """Writes the bundle of a recording, as the earlier version exported it, and returns its page."""
    page = folder / f"{name}.html"
    page.write_bytes(gzip.decompress((_FOLDER / f"{name}.html.gz").read_bytes()))
    return page


def expected_values(name: str) -> dict[str, NDArray[np.float64]]:
    """What the tensors held in the last step of training, by their names."""
    written: dict[str, Any] = json.loads((_FOLDER / "expected.json").read_bytes())[name]
    return {tensor: np.array(values, np.float64) for tensor, values in written.items()}


def earlier_digests(name: str) -> dict[str, Any]:
    """The SHA-256 of every chunk of the bundle, and its `content_digest`, as the exporter made them before its code was rearranged."""
    digests: dict[str, Any] = json.loads((_FOLDER / "digests.json").read_bytes())[name]
    return digests
