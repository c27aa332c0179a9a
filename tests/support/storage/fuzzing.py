"""A fuzzer of recordings, bundles and pickles: files are damaged at random, and reading them may raise nothing but our own errors.

Nor may it change a file, take long or much memory, or read damaged bytes without a word if they have a checksum.
`make fuzz NUMBER=2000 SEED=1` runs it. A case is made again from its seed and its number alone.
"""

from __future__ import annotations

import argparse
import pickle
import random
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from comgra_export.errors import ComgraExportError
from comgra_export.exporter import export
from comgra_export.importers.pickles.reader import read_pickle
from comgra_export.reading.bundles.files import open_files
from comgra_export.reading.bundles.index import open_bundle
from comgra_export.reading.bundles.verifying import verify_bundle
from comgra_export.storage import open_recording, verify
from support.exporter.recordings import write_trial
from support.storage.mended_copy import MendedCopy, states_below
from support.storage.random_damage import Damage, change_bytes, change_values, cut, enlarge, mix_lines, rename, replace
from support.storage.strategies import write_example

__all__ = ["Fuzz", "Outcome", "fuzz_bundles", "fuzz_pickles", "fuzz_recordings"]

_RANK = Path("group", "trial", "rank-0")
_MOST_SECONDS, _MOST_BYTES = 20, 1_000_000_000
_BUILT_SHARE = 0.02


@dataclass
class Outcome:
    """What came out of some cases.

    Attributes:
        faults: A sentence for everything that went wrong: nothing, if all is well.
        named: How many cases were refused, or read with a sentence about what is damaged.
        seconds: The most processor time that a case took.
        slowest: The case that took it.
        bytes: By how much reading has raised the memory of the process at most.
    """

    faults: list[str] = field(default_factory=list)
    named: int = 0
    seconds: float = 0
    slowest: int = 0
    bytes: int = 0


Fuzz = Callable[[int, int, Path], Outcome]


class _Kind(NamedTuple):
    """What is damaged, and how it is read.

    Attributes:
        damage: Damages the files in a folder. Returns what was done.
        read: Reads everything in the folder. Returns sentences about what is damaged.
        content: What was read, to be compared with that of the sound folder; None: damage need not be noticed.
    """

    damage: Callable[[random.Random, Path], Sequence[Damage]]
    read: Callable[[Path], Sequence[str]]
    content: Callable[[Path], object] | None


# Without a line or a file, what is left has no wrong checksum.
_NOTICED: set[Damage] = {change_bytes, change_values, enlarge}


def fuzz_recordings(count: int, seed: int, folder: Path) -> Outcome:
    """Damages a recording so many times, and reads everything in it. Some of them are also built to a page."""
    write_example(folder / "sound" / "checked" / _RANK, checksums=True)
    write_example(folder / "sound" / "unchecked" / _RANK, checksums=False)

    def read(place: Path) -> Sequence[str]:
        problems = verify(open_recording(place / _RANK))
        if chance.random() < _BUILT_SHARE:
            with tempfile.TemporaryDirectory() as output:
                export(place, Path(output, "page.html"))
        return problems

    chance = random.Random(seed)
    return _fuzz(count, seed, folder, _Kind(_damage_recording, read, _content_of_recording))


def fuzz_bundles(count: int, seed: int, folder: Path) -> Outcome:
    """Damages a bundle so many times, and reads everything in it."""
    write_trial(folder / "runs")
    for name in ("report.html", "report.zip", "report"):
        (folder / "sound" / f"as {name}").mkdir(parents=True)
        export(folder / "runs", folder / "sound" / f"as {name}" / name)
    return _fuzz(count, seed, folder, _Kind(_damage_bundle, _problems_of_bundle, _content_of_bundle))


def fuzz_pickles(count: int, seed: int, folder: Path) -> Outcome:
    """Damages pickles so many times, mixes them with one that opens a file, and reads them."""
    pickles = folder / "sound" / "pickles"
    pickles.mkdir(parents=True)
    numbers = np.arange(6, dtype=np.float32)
    values = ({"a": [1, 2.5, None, True, "text"], "b": (numbers, numbers.reshape(2, 3)), 3: {}}, _OpensForWriting(folder / "secret"))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        for position, value in enumerate(values):
            (pickles / f"{protocol}-{position}").write_bytes(pickle.dumps(value, protocol))

    def read(place: Path) -> Sequence[str]:
        read_pickle((place / "data.pkl").read_bytes(), "data.pkl")
        return ()

    return _fuzz(count, seed, folder, _Kind(_damage_pickle, read, None))


class _OpensForWriting:
    """What Python's own reader of pickles would empty a file for."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (str(self._file), "w")


def _fuzz(count: int, seed: int, folder: Path, kind: _Kind) -> Outcome:
    outcome = Outcome()
    secret = folder / "secret"
    secret.write_text("secret")
    copies = [MendedCopy(sound, folder / "cases" / sound.name) for sound in sorted((folder / "sound").iterdir())]
    sound = [kind.content(copy.sound) if kind.content is not None and copy.sound.name != "unchecked" else None for copy in copies]
    at_first = _peak_memory()
    for number in range(count):
        case = f"case {number} of seed {seed}"
        chance = random.Random(f"{seed}/{number}")
        position = chance.randrange(len(copies))
        copy = copies[position]
        done = kind.damage(chance, copy.place)
        before, began = states_below(folder), time.process_time()
        problems: Sequence[str] | None = None
        try:
            problems = kind.read(copy.place)
        except ComgraExportError:
            outcome.named += 1
        except BaseException as error:
            outcome.faults.append(f"{case}: {type(error).__name__}: {error}")
        seconds, grown = time.process_time() - began, _peak_memory() - at_first
        if states_below(folder) != before or secret.read_text() != "secret":
            outcome.faults.append(f"{case}: reading has changed files")
        if problems:
            outcome.named += 1
        elif problems is not None and _NOTICED.issuperset(done) and not _is_same(kind, copy.place, sound[position]):
            outcome.faults.append(f"{case}: what is damaged is read without a word")
        if seconds > _MOST_SECONDS or (grown > _MOST_BYTES and grown > outcome.bytes):
            outcome.faults.append(f"{case}: reading took {seconds:.1f} s of processor, and {grown / 1e6:,.0f} MB of memory")
        if seconds > outcome.seconds:
            outcome.seconds, outcome.slowest = seconds, number
        outcome.bytes = max(outcome.bytes, grown)
        copy.mend()
    shutil.rmtree(folder / "cases")
    return outcome


def _is_same(kind: _Kind, place: Path, sound: object) -> bool:
    """Whether what is read is that of the sound folder; True if damage need not be noticed."""
    if kind.content is None or sound is None:
        return True
    try:
        return kind.content(place) == sound
    except ComgraExportError:
        return False


def _peak_memory() -> int:
    """The most bytes of memory that this process has ever had."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _files_in(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file() and not file.is_symlink())


def _damage_recording(chance: random.Random, place: Path) -> Sequence[Damage]:
    done = []
    for _ in range(chance.randrange(1, 4)):
        files = _files_in(place)
        if files:
            done.append(chance.choice((change_bytes, change_bytes, cut, mix_lines, change_values, enlarge, replace, rename)))
            done[-1](chance, chance.choice(files))
    return done


def _damage_bundle(chance: random.Random, place: Path) -> Sequence[Damage]:
    done = []
    for _ in range(chance.randrange(1, 4)):
        done.append(chance.choice((change_bytes, change_bytes, change_bytes, cut, mix_lines, enlarge)))
        done[-1](chance, chance.choice(_files_in(place)))
    return done


def _damage_pickle(chance: random.Random, place: Path) -> Sequence[Damage]:
    pickles = [file.read_bytes() for file in _files_in(place)]
    first, second = chance.choice(pickles), chance.choice(pickles)
    file = place / "data.pkl"
    file.write_bytes(
        first[: chance.randrange(len(first) + 1)] + second[chance.randrange(len(second)) :] if chance.random() < 0.5 else first
    )
    for _ in range(chance.randrange(3)):
        chance.choice((change_bytes, change_bytes, cut, mix_lines))(chance, file)
    return ()


def _content_of_recording(place: Path) -> str:
    def parts() -> Iterator[object]:
        recording = open_recording(place / _RANK)
        yield from (recording.header, recording.network, recording.config, recording.notes, recording.curve_points, recording.gaps)
        yield from (recording.sentinel_points, recording.journal, recording.missing_steps, recording.left_behind)
        for number in recording.steps:
            step = recording.step(number)
            yield from (step, recording.layout(step.layout), recording.blobs(number), recording.histograms(number), recording.units(number))
            yield from [recording.structure(structure) for structure in step.structures if structure is not None]
            yield from [recording.calls(calls) for calls in step.calls if calls is not None]
            yield from [recording.flow_numbers(number, position) for position in range(len(step.flows))]

    with np.printoptions(threshold=sys.maxsize):
        return "\n".join(map(repr, parts()))


def _problems_of_bundle(place: Path) -> Sequence[str]:
    verified = verify_bundle(next(place.iterdir()))
    return verified.problems if verified.has_index_checksum else ["The index has no checksum."]


def _content_of_bundle(place: Path) -> object:
    bundle = next(place.iterdir())
    chunks = open_bundle(bundle).chunks
    return open_files(bundle).index, [chunks.raw(number) for number in range(len(chunks))]


def main() -> None:
    """Runs the fuzzers, and prints what they found."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--number", type=int, default=500, help="How many cases of each kind.")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    faults = []
    for fuzz in (fuzz_recordings, fuzz_bundles, fuzz_pickles):
        with tempfile.TemporaryDirectory() as folder:
            outcome = fuzz(options.number, options.seed, Path(folder))
        print(
            f"{fuzz.__name__}: {options.number:,} cases with seed {options.seed}, {outcome.named:,} refused or named, "
            f"{len(outcome.faults)} faults. Case {outcome.slowest} took the longest, {outcome.seconds:.2f} s of processor. "
            f"Memory grew by at most {outcome.bytes / 1e6:,.0f} MB."
        )
        faults += outcome.faults
    print("\n".join(faults))
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
