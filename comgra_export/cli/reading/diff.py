"""`comgra-export diff`."""

from __future__ import annotations

import typer

from comgra_export.analysis.divergence.model import Difference
from comgra_export.cli.console import EXIT_DIFFERENT, out, printable
from comgra_export.cli.reading.choosing import choose_trial, json_number, opened, print_json
from comgra_export.errors import WrongChoiceError
from comgra_export.reading.differences import Comparison, compare
from comgra_export.storage.text.steps import as_step, step_in_words

__all__ = ["run_diff"]

_LISTED = 5
_FORWARD = "forward"


def run_diff(left: str, right: str, *, tolerance: float, trials: list[str], as_json: bool) -> None:
    """Print the first difference of two trials. Exit with 6 if there is one."""
    if not tolerance >= 0:
        raise WrongChoiceError(f"The tolerance {tolerance} is below 0. Give 0 for equal numbers, or such as 1e-5.")
    if len(trials) > 2:
        raise WrongChoiceError("Two trials are compared, so give --trial at most twice.")
    wanted = [*trials, *trials, None, None][:2] if trials else [None, None]
    # Both are opened before a trial is asked for: a path may not exist.
    sides = [opened(path) for path in (left, right)]
    chosen = [choose_trial(data, name) for data, name in zip(sides, wanted, strict=True)]
    comparison = compare(chosen[0][1], chosen[1][1], tolerance)
    names = [name for name, _ in chosen]
    if as_json:
        print_json("diff", _as_json(names, comparison, tolerance))
    else:
        _print(names if names[0] != names[1] else [str(left), str(right)], comparison)
    if comparison.first is not None:
        raise typer.Exit(EXIT_DIFFERENT)


def _as_json(names: list[str], comparison: Comparison, tolerance: float) -> dict[str, object]:
    return {
        "left": names[0],
        "right": names[1],
        "tolerance": tolerance,
        "same": comparison.first is None,
        "first": None if comparison.first is None else _difference(comparison.first),
        "steps": comparison.steps,
        "steps_only_left": [as_step(step) for step in comparison.steps_only_left],
        "steps_only_right": [as_step(step) for step in comparison.steps_only_right],
        "tensors": comparison.tensors,
        "tensors_only_left": list(comparison.tensors_only_left),
        "tensors_only_right": list(comparison.tensors_only_right),
    }


def _difference(first: Difference) -> dict[str, object]:
    return {
        "step": as_step(first.step),
        "tensor": first.key.tensor.name,
        "iteration": first.key.tensor.iteration,
        "group": first.key.group,
        "reason": first.reason,
        "number": first.number,
        "left": first.left if isinstance(first.left, str) else json_number(first.left),
        "right": first.right if isinstance(first.right, str) else json_number(first.right),
        "relative": json_number(first.relative),
        "differing": first.differing,
        "compared": first.compared,
    }


def _print(names: list[str], comparison: Comparison) -> None:
    first = comparison.first
    lines = []
    if first is None:
        lines.append(f"{names[0]} and {names[1]} are the same in {comparison.steps:,} steps and {comparison.tensors:,} tensors.")
    else:
        what = first.key.tensor.name if first.key.group == _FORWARD else f"the gradient of {first.key.tensor.name} ({first.key.group})"
        iteration = f" in iteration {first.key.tensor.iteration}" if first.key.tensor.iteration > 0 else ""
        lines.append(f"{names[0]} and {names[1]} first differ in {step_in_words(as_step(first.step))}: {what}{iteration}.")
        lines.append(f"  {_reason(first)}")
        lines.append(f"  {first.differing:,} of {first.compared:,} records of this step differ; this one was computed first.")
    for side, steps, tensors in (
        (names[0], comparison.steps_only_left, comparison.tensors_only_left),
        (names[1], comparison.steps_only_right, comparison.tensors_only_right),
    ):
        if steps:
            lines.append(f"  {len(steps):,} steps are only in {side}, from {step_in_words(as_step(steps[0]))}.")
        if tensors:
            more = f" and {len(tensors) - _LISTED:,} more" if len(tensors) > _LISTED else ""
            lines.append(f"  Only in {side}: {', '.join(tensors[:_LISTED])}{more}.")
    for line in lines:
        out.print(printable(line), highlight=False, markup=False)


def _reason(first: Difference) -> str:
    if first.reason == "numbers":
        return f"{first.number}: {first.left:.9g} and {first.right:.9g}, a relative difference of {first.relative:.3g}."
    words = {"shape": "Its shape is", "absent": "Without a gradient (1) or with one (0):", "not finite": "Values that are not finite:"}
    return f"{words.get(first.reason, 'Values that are zero:')} {first.left} and {first.right}."
