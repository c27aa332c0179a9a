"""Experiments in a process of their own: with another tool, which lives in another environment, or with ours.

An experiment is a function of a module of this package. It takes what makes a recorder or watches a model, a folder and arguments that
JSON can hold, and returns named series of numbers.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

import orjson

__all__ = ["CHECKOUT", "Experiment", "Series", "Tool", "Unavailable", "run_alone", "run_here"]

CHECKOUT = Path(__file__).parents[2]

Series = dict[str, list[float]]
Tool = Literal["our recorder", "our recorder without kernels", "comgra recorder", "our watcher", "torchexplorer watcher"]
_Arguments = ParamSpec("_Arguments")
_Made = TypeVar("_Made")
Experiment = Callable[Concatenate[_Made, Path, _Arguments], Series]

# The module of each tool. Some can be imported only in the tool's own environment.
_MODULES: dict[Tool, str] = {
    "our recorder": "harness.recorders",
    "our recorder without kernels": "harness.recorders_without_kernels",
    "comgra recorder": "tools.comgra_recorder",
    "our watcher": "harness.watchers",
    "torchexplorer watcher": "tools.torchexplorer_watcher",
}


class Unavailable(Exception):
    """Something cannot be measured; the message is a remark for the table, without paths."""


def run_alone(
    python: Path,
    tool: Tool,
    experiment: Experiment[_Made, _Arguments],
    limit: float,
    *_none: _Arguments.args,
    **arguments: _Arguments.kwargs,
) -> Series:
    """Run an experiment in a process of its own.

    Args:
        python: The interpreter of the environment.
        tool: Which tool to give it.
        experiment: The function.
        limit: Seconds after which to end it.
        arguments: What to call it with, by name.

    Raises:
        Unavailable: It failed, or took longer than the limit.
    """
    with TemporaryDirectory() as folder:
        result = Path(folder) / "series.json"
        task = orjson.dumps({"module": experiment.__module__, "function": experiment.__name__, "arguments": arguments})
        command = [str(python), "-m", "benchmarks.harness.own_process", tool, task.decode(), folder, str(result)]
        try:
            done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False, timeout=limit)
        except subprocess.TimeoutExpired:
            raise Unavailable(f"not finished after {limit:.0f} s") from None
        if done.returncode != 0:
            print(done.stderr, file=sys.stderr)
            last_line = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise Unavailable(f"failed with {last_line.partition(':')[0]}")
        series: Series = orjson.loads(result.read_bytes())
        return series


def run_here(tool: Tool, experiment: Experiment[_Made, _Arguments], *_none: _Arguments.args, **arguments: _Arguments.kwargs) -> Series:
    """Run an experiment in this process, with a tool that its environment has."""
    with TemporaryDirectory() as folder:
        return experiment(_made(tool), Path(folder), **arguments)  # type: ignore[call-arg]


def _made(tool: Tool) -> Any:  # noqa: ANN401
    """What makes a recorder of a tool, or watches a model with it."""
    return getattr(import_module(f"benchmarks.{_MODULES[tool]}"), tool.replace(" ", "_"))


def _main(tool: Tool, task: str, folder: str, result: str) -> None:
    made = _made(tool)
    todo = orjson.loads(task)
    experiment = getattr(import_module(todo["module"]), todo["function"])
    # The tutorial imports the recorder, and a tool may have to come before that.
    with import_module("examples.tutorial").one_thread():
        series = experiment(made, Path(folder), **todo["arguments"])
    Path(result).write_bytes(orjson.dumps(series))
    sys.stderr.flush()
    # The page that TorchExplorer serves would keep the process alive.
    os._exit(0)


if __name__ == "__main__":
    _main(*sys.argv[1:])  # type: ignore[arg-type]
