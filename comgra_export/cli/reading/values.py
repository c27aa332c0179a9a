"""`comgra-export values`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comgra_export.cli.console import out, printable
from comgra_export.cli.reading.choosing import choose_trial, json_number, json_numbers, opened, print_json
from comgra_export.errors import WrongChoiceError
from comgra_export.reading import Table, Trial
from comgra_export.storage.text.steps import as_step, step_in_words

__all__ = ["run_values"]

_FORWARD = "forward"
_AGGREGATIONS = ("mean", "abs_max", "std")
_COUNTS = ("min", "max", "nan", "posinf", "neginf", "zeros", "count")


def run_values(
    path: str,
    *,
    tensor: str,
    step: float,
    group: str,
    iteration: int | None,
    rank: int | None,
    trial: str | None,
    as_json: bool,
) -> None:
    """Print the statistics and the values of a tensor in a step."""
    name, chosen = choose_trial(opened(path), trial)
    if rank is not None:
        chosen = chosen.of_rank(rank)
    samples, values, missing = _values(chosen, tensor, step, group, iteration)
    rows = chosen.statistics.where(tensor=tensor, step=step, group=group)
    if iteration is not None:
        rows = rows.where(iteration=iteration)
    if len(set(rows["iteration"].tolist())) != 1:
        # It says what there is instead.
        raise WrongChoiceError(missing)
    if as_json:
        print_json("values", _as_json(name, rows, samples, values, missing))
    else:
        _print(name, rows, samples, values, missing)


def _values(trial: Trial, tensor: str, step: float, group: str, iteration: int | None) -> tuple[tuple[int, ...], NDArray[Any] | None, str]:
    """The samples that were recorded, their values, and why there are none."""
    try:
        values = trial.values(tensor, step, iteration) if group == _FORWARD else trial.gradients(tensor, step, group, iteration)
        return trial.samples(tensor, step, iteration), values, ""
    except WrongChoiceError as error:
        return (), None, str(error)


def _as_json(trial: str, rows: Table, samples: tuple[int, ...], values: NDArray[Any] | None, missing: str) -> dict[str, object]:
    first = rows.at(slice(1))
    return {
        "trial": trial,
        "step": as_step(float(first["step"][0])),
        "tensor": first["tensor"][0],
        "group": first["group"][0],
        "iteration": int(first["iteration"][0]),
        "statistics": {
            item: {name: json_number(rows[name][row]) for name in _AGGREGATIONS} for row, item in enumerate(rows["item"].tolist())
        },
        **{name: json_number(first[name][0]) for name in _COUNTS},
        "is_absent": bool(first["is_absent"][0]),
        "samples": list(samples),
        "shape": None if values is None else list(values.shape),
        "dtype": None if values is None else str(values.dtype),
        "values": None if values is None else json_numbers(values.tolist()),
        "missing": missing,
    }


def _print(trial: str, rows: Table, samples: tuple[int, ...], values: NDArray[Any] | None, missing: str) -> None:
    first = rows.at(slice(1))
    what = printable(f"{trial}: {first['tensor'][0]} in {step_in_words(as_step(float(first['step'][0])))}, {first['group'][0]}")
    out.print(what, highlight=False, markup=False)
    for row, item in enumerate(rows["item"].tolist()):
        numbers = ", ".join(f"{name} {rows[name][row]:.6g}" for name in _AGGREGATIONS if not np.isnan(rows[name][row]) or name == "mean")
        out.print(f"  {item}: {numbers}", highlight=False, markup=False)
    out.print("  " + ", ".join(f"{name} {first[name][0]:.6g}" for name in _COUNTS), highlight=False, markup=False)
    if values is None:
        out.print(printable(missing), highlight=False, markup=False)
        return
    of_samples = f", samples {', '.join(map(str, samples))} of the batch" if samples else ""
    out.print(f"  {values.dtype} {list(values.shape)}{of_samples}:", highlight=False, markup=False)
    out.print(np.array2string(values), highlight=False, markup=False)
