"""Ways to damage files at random, each for one file. They are as fast for a file of gigabytes that is mostly a hole."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from comgra_export.reading.bundles.pages import INDEX_BEGIN

__all__ = ["Damage", "change_bytes", "change_values", "cut", "enlarge", "mix_lines", "rename", "replace"]

Damage = Callable[[random.Random, Path], None]

_STRANGE: tuple[Any, ...] = (None, -1, 0, 1, 2**31, 2**63, 10**30, 1.5, "", "x" * 300, "../../x", "NaN", True, [], {}, [[0]])
# 16 GB, as a power of 2.
_MOST_DIGITS = 34
_HEAD_BYTES = 4_000_000
_INDEX_BYTES, _LAST_BYTES = 4_000, 12_000


def change_bytes(chance: random.Random, file: Path) -> None:
    """Flips bits, and puts other bytes in, out or twice."""
    content = bytearray(_head(file))
    for _ in range(chance.randrange(1, 5)):
        if content:
            at, length = _position(chance, content), chance.randrange(1, 20)
            content[at : at + length] = chance.choice(
                [bytes([content[at] ^ 1 << chance.randrange(8)]), b"", chance.randbytes(length), content[at : at + length] * 2]
            )
    _write_head(file, content)


def cut(chance: random.Random, file: Path) -> None:
    """Cuts a file off."""
    os.truncate(file, chance.randrange(file.stat().st_size + 1))


def mix_lines(chance: random.Random, file: Path) -> None:
    """Mixes, repeats or drops lines."""
    lines = _head(file).split(b"\n")
    _write_head(file, b"\n".join(chance.choices(lines, k=chance.randrange(1, 2 * len(lines) + 1))))


def change_values(chance: random.Random, file: Path) -> None:
    """Puts other values into JSON."""
    try:
        content = json.loads(_head(file))
    except ValueError:
        return
    inner = content
    while isinstance(inner, (dict, list)) and inner:
        key = chance.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
        if not isinstance(inner[key], (dict, list)) or chance.random() < 0.3:
            inner[key] = chance.choice(_STRANGE)
            break
        inner = inner[key]
    _write_head(file, json.dumps(content).encode())


def enlarge(chance: random.Random, file: Path) -> None:
    """Makes a file huge. What is added takes no room on the disk. All orders of magnitude are as likely."""
    os.truncate(file, file.stat().st_size + int(2 ** chance.uniform(0, _MOST_DIGITS)))


def replace(chance: random.Random, file: Path) -> None:
    """Puts a link, a pipe, a folder or nothing in place of a file."""
    file.unlink()
    kind = chance.randrange(5)
    if kind == 0:
        file.symlink_to("../" * chance.randrange(6) + "secret")
    elif kind == 1:
        file.symlink_to("/dev/zero")
    elif kind == 2:
        os.mkfifo(file)
    elif kind == 3:
        file.mkdir()


def rename(chance: random.Random, file: Path) -> None:
    """Moves a file to another name, or over another file."""
    others = sorted(other for other in file.parent.iterdir() if other.is_file())
    file.replace(chance.choice([*others, file.with_name(f"{chance.randrange(10**14)}{file.suffix}")]))


def _position(chance: random.Random, content: bytearray) -> int:
    """A place in a file. In a page, most bytes are the viewer's, so the index and what lies at the end are each chosen as often."""
    parts = [(0, len(content)), (max(0, len(content) - _LAST_BYTES), len(content))]
    index = content.find(INDEX_BEGIN)
    if index >= 0:
        parts.append((index, min(index + _INDEX_BYTES, len(content))))
    return chance.randrange(*chance.choice(parts))


def _head(file: Path) -> bytes:
    """The first bytes of a file, which are all of it unless it was made huge."""
    with file.open("rb") as stream:
        return stream.read(_HEAD_BYTES)


def _write_head(file: Path, content: bytes | bytearray) -> None:
    """Writes what `_head` has read. The rest of a huge file stays."""
    if file.stat().st_size <= _HEAD_BYTES:
        file.write_bytes(content)
    else:
        with file.open("r+b") as stream:
            stream.write(content[:_HEAD_BYTES])
