"""A fuzzer of recordings, bundles and pickles: files are damaged at random, and reading them may raise nothing but our own errors.

`make fuzz NUMBER=2000 SEED=1` runs it. A case is made again from its seed and its number alone.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import random
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from comgra_export.errors import ComgraExportError
from comgra_export.exporter import export
from comgra_export.importers.pickles.reader import read_pickle
from comgra_export.reading.bundles.verifying import verify_bundle
from comgra_export.storage import open_recording, verify
from support.exporter.recordings import write_trial
from support.storage.strategies import write_example

__all__ = ["Fuzz", "fuzz_bundles", "fuzz_pickles", "fuzz_recordings"]

Fuzz = Callable[[int, int, Path], list[str]]

_RANK = Path("group", "trial", "rank-0")
_STRANGE: tuple[Any, ...] = (None, -1, 0, 1, 2**31, 2**63, 10**30, 1.5, "", "x" * 300, "../../x", "NaN", True, [], {}, [[0]])
_SPARSE_BYTES = 5_000_000_000


def fuzz_recordings(count: int, seed: int, folder: Path) -> list[str]:
    """Damages a recording so many times, and reads everything in it. Returns what went wrong: nothing, if all is well."""
    write_example(folder / "sound" / _RANK, checksums=True)
    write_example(folder / "unchecked" / _RANK, checksums=False)
    return _fuzz(count, seed, folder, _damaged_recording, lambda place: verify(open_recording(place / _RANK)))


def fuzz_bundles(count: int, seed: int, folder: Path) -> list[str]:
    """Damages a bundle so many times, and reads everything in it. Returns what went wrong: nothing, if all is well."""
    write_trial(folder / "runs")
    for name in ("report.html", "report.zip", "report"):
        export(folder / "runs", folder / "bundles" / name)
    return _fuzz(count, seed, folder, _damaged_bundle, lambda place: verify_bundle(next(place.iterdir())))


def fuzz_pickles(count: int, seed: int, folder: Path) -> list[str]:
    """Damages pickles so many times, mixes them with one that opens a file, and reads them. Returns what went wrong."""
    (folder / "pickles").mkdir()
    numbers = np.arange(6, dtype=np.float32)
    values = ({"a": [1, 2.5, None, True, "text"], "b": (numbers, numbers.reshape(2, 3)), 3: {}}, _OpensForWriting(folder / "secret"))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        for position, value in enumerate(values):
            (folder / "pickles" / f"{protocol}-{position}").write_bytes(pickle.dumps(value, protocol))
    return _fuzz(count, seed, folder, _damaged_pickle, lambda place: read_pickle((place / "data.pkl").read_bytes(), "data.pkl"))


class _OpensForWriting:
    """What Python's own reader of pickles would empty a file for."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (str(self._file), "w")


def _fuzz(
    count: int, seed: int, folder: Path, damage: Callable[[random.Random, Path, Path], None], read: Callable[[Path], object]
) -> list[str]:
    faults = []
    place = folder / "case"
    secret = folder / "secret"
    secret.write_text("secret")
    for number in range(count):
        shutil.rmtree(place, ignore_errors=True)
        damage(random.Random(f"{seed}/{number}"), folder, place)
        before = _entries(folder)
        try:
            read(place)
        except ComgraExportError:
            pass
        except BaseException as error:
            faults.append(f"case {number} of seed {seed}: {type(error).__name__}: {error}")
        if _entries(folder) != before or secret.read_text() != "secret":
            faults.append(f"case {number} of seed {seed}: reading has changed files")
    shutil.rmtree(place, ignore_errors=True)
    return faults


def _entries(folder: Path) -> list[tuple[str, int]]:
    return sorted((str(path), path.lstat().st_mtime_ns) for path in folder.rglob("*"))


def _damaged_recording(chance: random.Random, folder: Path, place: Path) -> None:
    shutil.copytree(folder / chance.choice(("sound", "unchecked")), place)
    for _ in range(chance.randrange(1, 4)):
        files = sorted(file for file in (place / _RANK).rglob("*") if file.is_file() and not file.is_symlink())
        if files:
            chance.choice((_bytes, _bytes, _cut, _lines, _values, _sparse, _replace, _rename))(chance, chance.choice(files))


def _damaged_bundle(chance: random.Random, folder: Path, place: Path) -> None:
    bundle = chance.choice(sorted((folder / "bundles").iterdir()))
    place.mkdir()
    (shutil.copytree if bundle.is_dir() else shutil.copy)(bundle, place / bundle.name)
    for _ in range(chance.randrange(1, 4)):
        files = sorted(file for file in place.rglob("*") if file.is_file())
        chance.choice((_bytes, _bytes, _cut, _lines))(chance, chance.choice(files))


def _damaged_pickle(chance: random.Random, folder: Path, place: Path) -> None:
    pickles = [file.read_bytes() for file in sorted((folder / "pickles").iterdir())]
    first, second = chance.choice(pickles), chance.choice(pickles)
    place.mkdir()
    file = place / "data.pkl"
    file.write_bytes(
        first[: chance.randrange(len(first) + 1)] + second[chance.randrange(len(second)) :] if chance.random() < 0.5 else first
    )
    for _ in range(chance.randrange(3)):
        chance.choice((_bytes, _bytes, _cut, _lines))(chance, file)


def _bytes(chance: random.Random, file: Path) -> None:
    """Flips bits, and puts other bytes in, out or twice."""
    content = bytearray(file.read_bytes())
    for _ in range(chance.randrange(1, 5)):
        if content:
            at, length = chance.randrange(len(content)), chance.randrange(1, 20)
            content[at : at + length] = chance.choice(
                [bytes([content[at] ^ 1 << chance.randrange(8)]), b"", chance.randbytes(length), content[at : at + length] * 2]
            )
    file.write_bytes(content)


def _cut(chance: random.Random, file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: chance.randrange(len(content) + 1)])


def _lines(chance: random.Random, file: Path) -> None:
    """Mixes, repeats or drops lines."""
    lines = file.read_bytes().split(b"\n")
    file.write_bytes(b"\n".join(chance.choices(lines, k=chance.randrange(1, 2 * len(lines) + 1))))


def _values(chance: random.Random, file: Path) -> None:
    """Puts other values into JSON."""
    try:
        content = json.loads(file.read_bytes())
    except ValueError:
        return
    inner = content
    while isinstance(inner, (dict, list)) and inner:
        key = chance.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
        if not isinstance(inner[key], (dict, list)) or chance.random() < 0.3:
            inner[key] = chance.choice(_STRANGE)
            break
        inner = inner[key]
    file.write_text(json.dumps(content))


def _sparse(chance: random.Random, file: Path) -> None:
    with file.open("r+b") as stream:
        stream.truncate(chance.randrange(_SPARSE_BYTES))


def _replace(chance: random.Random, file: Path) -> None:
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


def _rename(chance: random.Random, file: Path) -> None:
    others = sorted(other for other in file.parent.iterdir() if other.is_file())
    file.replace(chance.choice([*others, file.with_name(f"{chance.randrange(10**14)}{file.suffix}")]))


def main() -> None:
    """Runs all fuzzers, and prints what they found."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--number", type=int, default=500, help="How many cases of each kind.")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    faults = []
    for fuzz in (fuzz_recordings, fuzz_bundles, fuzz_pickles):
        with tempfile.TemporaryDirectory() as folder:
            own = fuzz(options.number, options.seed, Path(folder))
        print(f"{fuzz.__name__}: {options.number:,} cases with seed {options.seed}, {len(own)} faults")
        faults += own
    print("\n".join(faults))
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
