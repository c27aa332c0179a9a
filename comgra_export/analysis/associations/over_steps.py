"""Statistics of whole steps and the loss of these steps, without what drifts over training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.associations.features import MOST_PAIRS, neighbours
from comgra_export.analysis.associations.ranks import midranks
from comgra_export.analysis.associations.screening import LEVEL, PHASES, phase_of_steps
from comgra_export.analysis.associations.significance import benjamini_hochberg, normal_quantile, two_sided
from comgra_export.analysis.associations.wording import counted, in_phases, relation, statistic_of
from comgra_export.analysis.findings.model.association import Association, Associations, FamilyCheck
from comgra_export.analysis.findings.model.finding import Evidence
from comgra_export.analysis.findings.rules.steps import usual_training_steps
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Floats, Integers, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["LEAST_STEPS", "StepTable", "associate_steps", "compare_series", "shifted_correlation"]

LEAST_STEPS = 40
_MOST_LAG = 3
_LEAST_RHO = 0.3
_LEAST_IN_PHASE = 10
_POWER = 0.8


class Shifted(NamedTuple):
    """The strongest correlation of two series at small lags.

    Attributes:
        rho: Of the ranks of their differences.
        lag: How many steps the first series is ahead.
        p: How likely so large a correlation is at any of the lags if the series are unrelated.
    """

    rho: float
    lag: int
    p: float


@dataclass(frozen=True)
class StepTable:
    """Training steps, `T` of them.

    Attributes:
        numbers: `[T]`: their numbers.
        series: Per tensor its mean magnitude `[T]`; NaN if it is not known.
        loss_key: The loss.
        loss: `[T]`: its values.
        left_out: How many more tensors there are.
    """

    numbers: Floats
    series: Mapping[TensorKey, Floats]
    loss_key: TensorKey
    loss: Floats
    left_out: int = 0


def associate_steps(run: Run, graph: StepGraph) -> Associations:
    """Compares the mean magnitude of every tensor with the loss, over the recorded training steps."""
    usual = np.flatnonzero(usual_training_steps(run))
    if len(usual) < LEAST_STEPS:
        recorded = f"{counted(len(usual), 'training step')} {'was' if len(usual) == 1 else 'were'} recorded"
        return Associations(not_checked={"step": f"{recorded}, and it needs {LEAST_STEPS}"})
    loss_key, loss = _loss(run, usual)
    if loss_key is None:
        return Associations(not_checked={"step": f"no loss was recorded in {LEAST_STEPS} training steps"})
    near = neighbours(graph, [loss_key])
    tensors = [key for key, entry in run.tensors.items() if entry.batch_dimension is not None and key not in near]
    series = {key: _over(run, key, usual) for key in tensors[:MOST_PAIRS]}
    return compare_series(StepTable(run.numbers[usual], series, loss_key, loss, len(tensors) - len(series)), graph)


def compare_series(table: StepTable, graph: StepGraph) -> Associations:
    """Compares tensors with the loss. All that passes is in the result."""
    loss, loss_key, numbers = table.loss, table.loss_key, table.numbers
    known = [(key, values) for key, values in table.series.items() if len(_finite(values, loss)[0]) >= LEAST_STEPS]
    if not known:
        return Associations(not_checked={"step": f"no other tensor is in {LEAST_STEPS} training steps"})
    halves = [_halves(values, loss) for _, values in known]
    q = benjamini_hochberg(np.array([discovery.p for discovery, _ in halves]))
    reported = []
    for place, (key, values) in enumerate(known):
        discovery, confirmation = halves[place]
        both = shifted_correlation(*_finite(values, loss), (discovery.lag,))
        agree = np.sign(discovery.rho) == np.sign(confirmation.rho) == np.sign(both.rho)
        if q[place] >= LEVEL or confirmation.p >= LEVEL or not agree or abs(both.rho) < _LEAST_RHO:
            continue
        phases = [_in_phase(values, loss, phase_of_steps(numbers) == phase, discovery.lag) for phase in range(len(PHASES))]
        keeps = [None if each is None else each * np.sign(both.rho) >= _LEAST_RHO / 2 for each in phases]
        apart = counted(abs(discovery.lag), "recorded step")
        when = "" if discovery.lag == 0 else f" {apart} {'later' if discovery.lag > 0 else 'earlier'}"
        message = (
            f"In steps in which {statistic_of('abs_mean', key)} rises, the loss tends to {'rise' if both.rho > 0 else 'fall'}{when} (rank "
            f"correlation of the changes {both.rho:.2f}, n = {len(_finite(values, loss)[0])} steps; {discovery.rho:.2f} and "
            f"{confirmation.rho:.2f} in the first and second half).{in_phases(keeps)}{relation(graph, key, loss_key)}"
        )
        step = _largest_change(numbers, values, loss)
        views = tuple(Evidence(FORWARD, *each, step, "abs_mean", "Over the steps.") for each in (key, loss_key))
        reported.append(
            Association(
                family="step",
                message=message,
                measure="rank correlation",
                effect=both.rho,
                discovery=discovery.rho,
                confirmation=confirmation.rho,
                phases=(phases[0], phases[1], phases[2]),
                q=float(q[place]),
                samples=len(_finite(values, loss)[0]),
                evidence=views,
            )
        )
    check = FamilyCheck(len(known), len(reported), _smallest(len(numbers), len(known)), table.left_out)
    return Associations(tuple(reported), checked={"step": check})


def shifted_correlation(x: Floats, y: Floats, lags: tuple[int, ...] = tuple(range(-_MOST_LAG, _MOST_LAG + 1))) -> Shifted:
    """Correlates the ranks of the changes of two series, `[T]`, at some lags.

    The p-value compares the correlation with those at all circular shifts, which keep what each series has of itself. It is multiplied by
    the number of lags.
    """
    ranks = [midranks(np.diff(each)) for each in (x, y)]
    count = len(ranks[0])
    units = [each - each.mean() for each in ranks]
    units = [each / max(float(np.sqrt((each**2).sum())), 1e-12) for each in units]
    all_shifts = np.fft.irfft(np.fft.rfft(units[1]) * np.conj(np.fft.rfft(units[0])), count)
    away = np.ones(count, bool)
    away[[lag % count for lag in range(-_MOST_LAG, _MOST_LAG + 1)]] = False
    # With few shifts their spread is not well known, and may be too small by chance.
    spread = max(float(all_shifts[away].std()) if away.any() else 0.0, 1 / sqrt(max(count - 1, 1)))
    lag = max(lags, key=lambda lag: (abs(all_shifts[lag % count]), -abs(lag)))
    rho = float(all_shifts[lag % count])
    return Shifted(rho, lag, min(1.0, float(two_sided(np.array([rho / spread]))[0]) * len(lags)))


def _loss(run: Run, usual: Integers) -> tuple[TensorKey | None, Floats]:
    """The loss that most steps have, with its values."""
    best: tuple[TensorKey | None, Floats] = None, np.full(len(usual), np.nan)
    for key in run.of_type("loss"):
        values = _over(run, key, usual)
        if np.isfinite(values).sum() > max(np.isfinite(best[1]).sum(), LEAST_STEPS - 1):
            best = key, values
    return best


def _over(run: Run, key: TensorKey, usual: Integers) -> Floats:
    """The mean magnitude of a tensor at some positions, for a loss its value; NaN if it is not recorded."""
    series = run.values(key)
    values = np.full(len(run.steps), np.nan)
    if series is not None:
        values[series.positions] = series.mean if series.entry.kind == "single_value" else series.absolute_mean
    return np.asarray(values[usual])


def _finite(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    known = np.isfinite(x) & np.isfinite(y)
    return x[known], y[known]


def _largest_change(numbers: Floats, x: Floats, y: Floats) -> float:
    """The step in which `x` has changed most since the last one that has both."""
    known = np.isfinite(x) & np.isfinite(y)
    return as_step(numbers[known][int(np.argmax(np.abs(np.diff(x[known])))) + 1])


def _halves(x: Floats, y: Floats) -> tuple[Shifted, Shifted]:
    """The first half of the steps, with its best lag, and the second half at the same lag."""
    x, y = _finite(x, y)
    half = len(x) // 2
    discovery = shifted_correlation(x[:half], y[:half])
    return discovery, shifted_correlation(x[half:], y[half:], (discovery.lag,))


def _in_phase(x: Floats, y: Floats, phase: NDArray[np.bool_], lag: int) -> float | None:
    x, y = _finite(x[phase], y[phase])
    return shifted_correlation(x, y, (lag,)).rho if len(x) >= _LEAST_IN_PHASE else None


def _smallest(steps: int, pairs: int) -> str:
    lags = 2 * _MOST_LAG + 1
    rho = (normal_quantile(LEVEL / pairs / lags / 2) + normal_quantile(1 - _POWER)) / sqrt(max(steps / 2 - 1, 1))
    return f"rank correlation about {min(max(rho, _LEAST_RHO), 1):.2f} for {steps} steps"
