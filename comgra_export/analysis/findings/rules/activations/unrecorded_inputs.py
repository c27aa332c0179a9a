"""The inputs of a step that was only checked, as far as they were not finite."""

from __future__ import annotations

from collections.abc import Sequence

from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, RecordKey, TensorKey
from comgra_export.storage import NonFiniteInput
from comgra_export.storage.text.steps import step_in_words

__all__ = ["culprits", "describe_inputs", "inputs_in"]


def inputs_in(run: Run, step: float) -> tuple[NonFiniteInput, ...] | None:
    """The inputs of a step that were not finite; None if that is not known."""
    return next((point.inputs for point in run.recording.sentinel_points if point.step == step), None)


def culprits(run: Run, inputs: Sequence[NonFiniteInput] | None) -> list[NonFiniteInput]:
    """Those of the inputs that can have made a NaN.

    Minus infinity alone may be a mask. What holds such values in recorded steps too does so without harm.
    """
    return [each for each in inputs or () if each.nan + each.positive and not _is_usual(run, each.name)]


def describe_inputs(inputs: Sequence[NonFiniteInput], step: float) -> str:
    """Sentences such as "`model: input` is the first tensor that is not finite: it holds 2 NaN in step 5, at 1 of its first dimension."."""
    first = inputs[0]
    infinite = first.positive + first.negative
    values = " and ".join(
        [f"{first.nan:,} NaN"] * bool(first.nan) + [f"{infinite:,} {'infinity' if infinite == 1 else 'infinities'}"] * bool(infinite)
    )
    rows = [str(row) for row in first.rows]
    where = f", at {' and '.join([', '.join(rows[:-1]), rows[-1]] if len(rows) > 1 else rows)} of its first dimension" if rows else ""
    others = f" So are {names_of([each.name for each in inputs[1:]])}." if len(inputs) > 1 else ""
    return (
        f"`{first.name}` is the first tensor that is not finite: it holds {values} in {step_in_words(step)}{where}. It is an input of the "
        f"network, so the data is not finite.{others} Nothing else of this step was recorded."
    )


def _is_usual(run: Run, name: str) -> bool:
    series = run.records.series(RecordKey(FORWARD, TensorKey(name, 0)))
    return series is not None and bool((~series.is_finite).any())
