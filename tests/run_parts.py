"""Runs targets of the Makefile, several beside each other where they are given so, and prints what each took.

    python tests/run_parts.py lint+viewer installed python browser

Targets joined by + run beside each other; what each of them prints is shown when it is done. All others print at once.
All of them run even if one fails, and then the exit code is 1.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from typing import IO, NamedTuple

# The line in which a tool counts: pytest, vitest, ruff, mypy.
_COUNTS = re.compile(r"^\W*(\d+ (passed|failed).*|Tests  .*|Success: .*|All checks passed.*|Found \d+ error.*)$")


class Part(NamedTuple):
    """A target that has ended."""

    name: str
    exit_code: int
    seconds: float
    processor_seconds: float
    counts: str


class Run:
    """A target that runs.

    Args:
        name: Of the target.
        shown: Whether what it prints is shown at once.
    """

    def __init__(self, name: str, shown: bool) -> None:
        self.name = name
        self._shown = shown
        self._begun = time.monotonic()
        self._printed: IO[str] = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115
        command = [os.environ.get("MAKE", "make"), "--no-print-directory", name]
        output = subprocess.PIPE if shown else self._printed
        self._process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, text=True, errors="replace")

    def wait(self) -> Part:
        """Waits for its end, and shows what it has printed."""
        if self._process.stdout is not None:
            for line in self._process.stdout:
                print(line, end="", flush=True)
                self._printed.write(line)
        _, status, used = os.wait4(self._process.pid, 0)
        seconds = time.monotonic() - self._begun
        self._process.returncode = os.waitstatus_to_exitcode(status)
        self._printed.seek(0)
        lines = self._printed.read().splitlines()
        self._printed.close()
        if not self._shown:
            print(f"\n--- {self.name} ---", *lines, sep="\n", flush=True)
        counts = [found[1].strip(" =") for line in lines if (found := _COUNTS.match(_without_colors(line)))]
        return Part(self.name, self._process.returncode, seconds, used.ru_utime + used.ru_stime, "; ".join(counts))


def _without_colors(line: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", line)


def main(stages: list[str]) -> int:
    """Runs the stages one after another. Returns the exit code."""
    begun, parts = time.monotonic(), []
    for stage in stages:
        names = stage.split("+")
        if len(names) == 1:
            print(f"\n--- {stage} ---", flush=True)
        running = [Run(name, shown=len(names) == 1) for name in names]
        parts += [run.wait() for run in running]
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
