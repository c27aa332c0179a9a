"""`comgra-export curves`."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.table import Table as Printed
from rich.text import Text

from comgra_export.cli.console import print_table, printable
from comgra_export.cli.reading.choosing import choose_trial, json_numbers, opened, print_json
from comgra_export.reading import Table, Trial

__all__ = ["run_curves"]


def run_curves(path: str, *, trial: str | None, as_json: bool) -> None:
    """Print the curves of all trials, or of one."""
    data = opened(path)
    chosen = dict([choose_trial(data, trial)]) if trial is not None else data.trials
    if as_json:
        print_json(
            "curves", {"trials": [{"trial": name, "curves": [_as_json(curve) for curve in _curves(own)]} for name, own in chosen.items()]}
        )
        return
    for name, own in chosen.items():
        _print(name, _curves(own))


def _curves(trial: Trial) -> list[Table]:
    """A table per curve, in the order of their first points."""
    points = trial.curves
    keys = dict.fromkeys(zip(points["curve"].tolist(), points["group"].tolist(), points["type"].tolist(), strict=True))
    return [points.where(curve=curve, group=group, type=kind) for curve, group, kind in keys]


def _as_json(curve: Table) -> dict[str, Any]:
    first = {name: curve[name][0] for name in ("curve", "group", "type")}
    return {**first, "t": json_numbers(curve["t"].tolist()), "value": json_numbers(curve["value"].tolist())}


def _print(name: str, curves: list[Table]) -> None:
    table = Printed("curve", "group", "type", "points", "first", "last", "smallest", "largest", box=None)
    for curve in curves:
        finite = curve["value"][np.isfinite(curve["value"])]
        ends = [f"{curve['value'][place]:.6g} at {curve['t'][place]:g}" for place in (0, -1)]
        limits = [f"{limit:.6g}" for limit in (finite.min(), finite.max())] if len(finite) else ["", ""]
        texts = [str(curve[column][0]) for column in ("curve", "group", "type")]
        table.add_row(*(Text(printable(cell)) for cell in (*texts, f"{len(curve):,}", *ends, *limits)))
    print_table(table, name)
