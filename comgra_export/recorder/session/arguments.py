"""Checking the arguments of the recorder and of its steps."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from operator import index
from pathlib import Path
from typing import get_args

from comgra_export.errors import MisuseError
from comgra_export.recorder.step.options import GraphSource
from comgra_export.storage.text.names import shown
from comgra_export.storage.text.steps import MAX_STEP

__all__ = ["check_arguments", "check_prefixes", "check_step_numbers", "check_type_of_execution", "root_folder"]

_VISUAL = "prefixes_for_grouping_module_parameters_visually"
_NODES = "prefixes_for_grouping_module_parameters_in_nodes"
_TYPE_OF_EXECUTION = re.compile(r"[a-zA-Z0-9-_]+")


def check_arguments(max_samples: object, graph: object, source: object) -> None:
    """Checks the arguments of `ComgraRecorder` that nothing else checks.

    Raises:
        MisuseError: One of them is not usable.
    """
    if max_samples is not None and not (isinstance(max_samples, int) and max_samples >= 0):
        raise MisuseError(f"ComgraRecorder: max_num_batch_size_to_record is {shown(max_samples)}. Give 0 or more, or None for all samples.")
    if graph not in get_args(GraphSource):
        raise MisuseError(f"ComgraRecorder: graph is {shown(graph)}. Use one of {', '.join(get_args(GraphSource))}.")
    if source and graph == "autograd":
        raise MisuseError('ComgraRecorder: source=True needs to see calls, and graph="autograd" does not. Leave one of the two out.')


def root_folder(path: object) -> Path:
    """The folder of all recordings, `comgra_root_path`, as an absolute path.

    Raises:
        MisuseError: It is not a path.
    """
    if not isinstance(path, str | os.PathLike):
        raise MisuseError(f'ComgraRecorder: comgra_root_path is {shown(path)}. Give the path of a folder, such as "recordings".')
    return Path(path).absolute()


def check_prefixes(visual: Sequence[str] | None, nodes: Sequence[str] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Checks the prefixes by which parameters are grouped in the graph, and returns both lists.

    There is a column of the graph for each of `visual`, or one for all parameters; and a node for each of `nodes`, or none. The first
    prefix of a list that a name begins with counts.

    Raises:
        MisuseError: A prefix can never count, since an earlier one covers it. Or the parameters of one node would be in several columns,
            or in none.
    """
    visual_prefixes = _checked_prefixes(_VISUAL, visual or [""])
    node_prefixes = _checked_prefixes(_NODES, nodes or [])
    if "" in node_prefixes:
        raise MisuseError(f"ComgraRecorder: {_NODES} contains '', which cannot be the name of a node. Use the name of a module.")
    for node in node_prefixes:
        if not node.startswith(visual_prefixes):
            raise MisuseError(
                f"ComgraRecorder: {node!r} in {_NODES} begins with no prefix of {_VISUAL}, so its node has no column. Add one there."
            )
        for prefix in visual_prefixes:
            if prefix.startswith(node) and prefix != node:
                raise MisuseError(
                    f"ComgraRecorder: {prefix!r} in {_VISUAL} is more specific than {node!r} in {_NODES}, which would spread one "
                    "node over several columns. Make the visual prefix shorter, or the other one longer."
                )
    return visual_prefixes, node_prefixes


def check_step_numbers(training_step: object, current_batch_size: object) -> tuple[int, int]:
    """The number and the batch size of a step, as integers. A number below 0 is one of an evaluation before training.

    Raises:
        MisuseError: One of them is not an integer, or is out of range.
    """
    step = _as_integer(training_step)
    if step is None:
        raise MisuseError(f"start_batch: training_step is {shown(training_step)}. Give an integer.")
    if step > MAX_STEP:
        raise MisuseError(f"start_batch: training_step {step} is greater than {MAX_STEP}. Count steps from 0.")
    batch_size = _as_integer(current_batch_size)
    if batch_size is None or batch_size < 0:
        raise MisuseError(f"start_batch: current_batch_size is {shown(current_batch_size)} in step {step}. Give the number of samples.")
    return step, batch_size


def check_type_of_execution(type_of_execution: object) -> str:
    """The type of a step.

    Raises:
        MisuseError: It is not a string of letters, digits, `-` and `_`, or it is reserved.
    """
    if not isinstance(type_of_execution, str) or not _TYPE_OF_EXECUTION.fullmatch(type_of_execution):
        raise MisuseError(f"The type_of_execution is {shown(type_of_execution)}. Use only letters, digits, - and _.")
    if type_of_execution == "any_value" or type_of_execution.startswith("__"):
        raise MisuseError(
            f"The type_of_execution is {type_of_execution!r}, which is reserved. Choose another name, without __ at its beginning."
        )
    return type_of_execution


def _checked_prefixes(argument: str, prefixes: Sequence[str]) -> tuple[str, ...]:
    if isinstance(prefixes, str) or not all(isinstance(prefix, str) for prefix in prefixes):
        raise MisuseError(f"ComgraRecorder: {argument} is {shown(prefixes)}. Give a list of strings.")
    for position, prefix in enumerate(prefixes):
        for earlier in prefixes[:position]:
            if prefix.startswith(earlier):
                raise MisuseError(
                    f"ComgraRecorder: in {argument}, {earlier!r} comes before {prefix!r} and covers it. Put the more specific prefix first."
                )
    return tuple(prefixes)


def _as_integer(value: object) -> int | None:
    try:
        return index(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, RuntimeError):  # The last two are those of tensors.
        return None
