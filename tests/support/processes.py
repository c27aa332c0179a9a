"""Processes that run a script as `python -c` does, without the four seconds in which each would import torch."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

__all__ = ["Ended", "ReadyProcesses", "processes"]

# Imports what training needs, and forks. A child leaves the loop, runs its script as `__main__`, and ends as every interpreter does.
_SERVER = """
import gc, json, os, signal, sys, warnings
import torch, torch._dynamo, comgra_export
# Each is imported when it is first asked for.
for name in comgra_export.__all__:
    getattr(comgra_export, name)
# A child copies the memory that its garbage collector looks at.
gc.collect()
gc.freeze()
script = None
for line in sys.stdin:
    task = json.loads(line)
    child = os.fork()
    if child == 0:
        script = task["script"]
        break
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
if script is not None:
    for number, file in ((0, os.devnull), (1, task["output"]), (2, task["errors"])):
        os.dup2(os.open(file, os.O_RDWR | os.O_CREAT, 0o600), number)
    os.chdir(task["folder"])
    # A script that hangs is killed.
    signal.alarm(300)
    sys.argv = ["-c", *task["arguments"]]
    if task["warnings_are_errors"]:
        warnings.simplefilter("error")
    exec(compile(script, "<string>", "exec"), {"__name__": "__main__", "__builtins__": __builtins__})
"""


class Ended(NamedTuple):
    """How a script ended."""

    returncode: int
    stdout: str
    stderr: str


class ReadyProcesses:
    """Runs scripts, one after another, each in a process of its own.

    A script that tests what is imported, or when, needs a process of `subprocess` instead.
    """

    def __init__(self) -> None:
        self._server = subprocess.Popen([sys.executable, "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, script: str, folder: Path, *arguments: object, warnings_are_errors: bool = True) -> Ended:
        """Runs a script in a folder, with arguments of a command line, and waits for its end. What it prints lies beside the folder."""
        output, errors = (folder.with_name(f"{folder.name}.{name}") for name in ("out", "err"))
        task = {
            "script": script,
            "arguments": list(map(str, arguments)),
            "folder": str(folder),
            "output": str(output),
            "errors": str(errors),
            "warnings_are_errors": warnings_are_errors,
        }
        stdin, stdout = self._server.stdin, self._server.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(task) + "\n")
        stdin.flush()
        return Ended(int(stdout.readline()), output.read_text(encoding="utf-8"), errors.read_text(encoding="utf-8"))

    def close(self) -> None:
        """Ends the process that makes the others."""
        self._server.communicate(timeout=30)


@pytest.fixture(scope="session")
def processes() -> Iterator[ReadyProcesses]:
    """The processes for all scripts of this worker, so that one process imports torch for them."""
    processes = ReadyProcesses()
    yield processes
    processes.close()
