"""Runs targets of the Makefile, at the same time as far as none needs another one, and prints what each took.

    python tests/run_parts.py viewer environment lint:environment installed:environment+viewer python-tests:installed

What stands after a colon has to end first; it is named before. The part that is named last prints at once; what the others print is shown
when they are done, and not while that one prints. All of them run even if one fails, and then the exit code is 1.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Collection
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from contextlib import nullcontext
from threading import Lock
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


def run(name: str, needed: Collection[Future[Part]], output: Lock | None) -> Part:
    """Runs a target to its end.

    Args:
        name: Of the target.
        needed: The parts that have to end first.
        output: What to hold while it prints at once; None if it prints nothing.
    """
    wait(needed)
    print(f"{name} begins", flush=True)
    with output or nullcontext():
        begun = time.monotonic()
        lines: list[str] = []
        command = [os.environ.get("MAKE", "make"), "--no-print-directory", name]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        with cast(IO[str], process.stdout) as printed:
            for line in printed:
                lines.append(line.rstrip("\n"))
                if output:
                    print(line, end="", flush=True)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Part(name, process.returncode, time.monotonic() - begun, used.ru_utime + used.ru_stime, lines)


def _without_colors(line: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", line)


def main(arguments: list[str]) -> int:
    """Runs the parts. Returns the exit code."""
    begun, output = time.monotonic(), Lock()
    last = arguments[-1].partition(":")[0]
    futures: dict[str, Future[Part]] = {}
    with ThreadPoolExecutor(len(arguments)) as threads:
        for argument in arguments:
            name, _, needed = argument.partition(":")
            before = [futures[other] for other in needed.split("+") if other]
            futures[name] = threads.submit(run, name, before, output if name == last else None)
        for future in as_completed(futures.values()):
            part = future.result()
            if part.name != last:
                with output:
                    print(f"\n--- {part.name} ---", *part.lines, sep="\n", flush=True)
    parts = [future.result() for future in futures.values()]
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
