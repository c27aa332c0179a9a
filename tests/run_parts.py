"""Runs targets of the Makefile, several at the same time if asked for, and prints what each took.

    python tests/run_parts.py viewer+environment lint+browsers+installed python-tests+browser-tests

Targets joined by + run at the same time. The last of them prints at once; what the others print is shown when it is done.
All of them run even if one fails, and then the exit code is 1.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import IO, NamedTuple, cast

# The line in which a tool counts: pytest, vitest, ruff, mypy.
_COUNTS = re.compile(r"^\W*(\d+ (passed|failed).*|Tests  .*|Success: .*|All checks passed.*|Found \d+ error.*)$")


class Part(NamedTuple):
    """A target that has ended."""

    name: str
    exit_code: int
    seconds: float
    processor_seconds: float
    lines: list[str]

    @property
    def counts(self) -> str:
        """What it says of how many tests passed."""
        matches = (_COUNTS.match(_without_colors(line)) for line in self.lines)
        return "; ".join(match[1].strip(" =") for match in matches if match)


def run(name: str, shown: bool) -> Part:
    """Runs a target to its end.

    Args:
        name: Of the target.
        shown: Whether what it prints is shown at once.
    """
    begun = time.monotonic()
    lines: list[str] = []
    command = [os.environ.get("MAKE", "make"), "--no-print-directory", name]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    with cast(IO[str], process.stdout) as printed:
        for line in printed:
            lines.append(line.rstrip("\n"))
            if shown:
                print(line, end="", flush=True)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Part(name, process.returncode, time.monotonic() - begun, used.ru_utime + used.ru_stime, lines)


def _without_colors(line: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", line)


def main(stages: list[str]) -> int:
    """Runs the stages one after another. Returns the exit code."""
    begun = time.monotonic()
    parts: list[Part] = []
    for stage in stages:
        names = stage.split("+")
        print(f"\n--- {names[-1]} ---", flush=True)
        with ThreadPoolExecutor(len(names)) as threads:
            ended = list(threads.map(run, names, [name == names[-1] for name in names]))
        for part in ended[:-1]:
            print(f"\n--- {part.name} ---", *part.lines, sep="\n", flush=True)
        parts += ended
    print(f"\n{'part':<16}{'seconds':>8}{'processor':>11}")
    for part in parts:
        result = part.counts if part.exit_code == 0 else f"FAILED  {part.counts}"
        print(f"{part.name:<16}{part.seconds:>8.0f}{part.processor_seconds:>11.0f}  {result}")
    print(f"{'together':<16}{time.monotonic() - begun:>8.0f}{sum(part.processor_seconds for part in parts):>11.0f}")
    failed = [part.name for part in parts if part.exit_code]
    print(f"Failed: {', '.join(failed)}." if failed else "All passed.")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
