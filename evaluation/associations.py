"""How often associations are false, and which are found, on simulated recordings: `python -m evaluation.associations`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.associations.associate import associate_samples
from comgra_export.analysis.associations.over_steps import StepTable, compare_series
from comgra_export.analysis.associations.ranks import Rows, correlate, midranks
from comgra_export.analysis.associations.sample_losses import LossOfSamples
from comgra_export.analysis.associations.samples import SampleTable
from comgra_export.analysis.associations.significance import benjamini_hochberg, two_sided
from comgra_export.analysis.findings.model.association import Associations
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.series import TensorKey
from evaluation.page import write_between

__all__ = ["Case", "NullCase", "PowerCase", "null_cases", "power_cases", "results", "samples", "series"]

BEGIN = "<!-- results: written by python -m evaluation.associations --write -->"
_LEVEL = 0.05
_PREDICTION = TensorKey("prediction", 0)
_VALUES = 32

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """Samples that are simulated. Without an effect, nothing has to do with anything else but training time.

    Attributes:
        steps: How many steps there are.
        batch: How many samples a step has.
        distinct: How many samples come again and again; None if all are new.
        drift: How far every number moves over training, in standard deviations.
        features: How many tensors with one value per sample there are.
        effect: The slope of the first of them on the difficulty of the sample.
        prevalence: The share of the category `rare`; 0 for 8 equally large ones that mean nothing.
        ratio: How many times larger the loss of `rare` is.
        sparse: The chance that a tensor is sparse. 0: there is none.
        sparse_if_extreme: The same where the first feature is among the largest 5 % of the step.
    """

    steps: int = 30
    batch: int = 32
    distinct: int | None = None
    drift: float = 3.0
    features: int = 60
    effect: float = 0.0
    prevalence: float = 0.0
    ratio: float = 1.0
    sparse: float = 0.0
    sparse_if_extreme: float = 0.0


class NullCase(NamedTuple):
    """A case without any association, in words."""

    name: str
    case: Case


class PowerCase(NamedTuple):
    """A case with one association, in words, and the kind of pair that it is."""

    name: str
    case: Case
    family: str


def null_cases() -> Iterator[NullCase]:
    """Cases in which every association is false."""
    yield NullCase("30 steps of 32 new samples, all drifts", Case())
    yield NullCase("30 steps of 32 new samples, no drift", Case(drift=0.0))
    yield NullCase("200 steps of 5 new samples, all drifts", Case(steps=200, batch=5))
    yield NullCase("240 samples that come again, all drifts", Case(distinct=240))
    yield NullCase("240 samples that come again, 100 steps, all drifts", Case(steps=100, distinct=240))
    yield NullCase("sparse tensors, new samples, all drifts", Case(sparse=0.1, sparse_if_extreme=0.1))


def power_cases() -> Iterator[PowerCase]:
    """Cases with an association that should be found."""
    for prevalence, ratios in ((0.1, (1.2, 1.5, 2.0)), (0.04, (1.5, 2.0, 3.0))):
        for ratio in ratios:
            name = f"category of {prevalence:.0%} with {ratio:g} times the loss"
            yield PowerCase(name, Case(prevalence=prevalence, ratio=ratio), "category")
    for steps in (10, 20, 30):
        yield PowerCase(f"feature, 0.45 per deviation of difficulty, {steps * 32} samples", Case(steps=steps, effect=0.45), "feature")
    for share in (0.3, 0.6):
        name = f"sparse in {share:.0%} of extreme samples, in 3% otherwise"
        yield PowerCase(name, Case(sparse=0.03, sparse_if_extreme=share, features=30), "event")


def samples(case: Case, generator: np.random.Generator) -> SampleTable:
    """Simulates the recorded samples of a run."""
    count = case.steps * case.batch
    steps = np.repeat(np.arange(case.steps), case.batch)
    if case.distinct is None:
        ids = np.arange(count)
    else:
        drawn = np.concatenate([generator.choice(case.distinct, case.batch, replace=False) for _ in range(case.steps)])
        ids = np.unique(drawn, return_inverse=True)[1]
    distinct = int(ids.max()) + 1
    time = steps / max(case.steps - 1, 1) * case.drift
    # Most of what distinguishes samples stays with them when they come again.
    hardness = generator.normal(size=distinct)
    own = generator.normal(size=(case.features, distinct))
    own[0] = case.effect * hardness + np.sqrt(1 - case.effect**2) * own[0]
    features = own[:, ids] + 0.3 * generator.normal(size=(case.features, count))
    names, of_category = _categories(case, distinct, generator)
    loss = np.exp(0.5 * (hardness[ids] + 0.3 * generator.normal(size=count))) * np.where(of_category[ids], case.ratio, 1.0) * np.exp(-time)
    extreme = Rows(steps, ids).ranks(features[:1])[0] >= 0.45
    statistics = np.zeros((case.features + (case.sparse > 0), 4, count), np.float32)
    statistics[: case.features] = (features + time)[:, None]
    if case.sparse:
        chance = np.where(extreme, case.sparse_if_extreme, case.sparse) * np.exp(-time / 6)
        is_sparse = generator.random(count) < chance
        # The mean magnitude of 32 values with a mean square of 1: 0.8, or hardly any of them is not zero.
        statistics[-1, 1] = np.where(is_sparse, 0.2, 0.8)
        statistics[-1, 2] = np.sqrt(_VALUES / (_VALUES - 1))
    return SampleTable(
        rows=Rows(steps, ids),
        numbers=np.arange(0.0, case.steps * 10, 10),
        tensors=tuple(TensorKey(f"tensor {number}", 0) for number in range(len(statistics))),
        left_out=0,
        sizes=np.array([1] * case.features + [_VALUES] * (case.sparse > 0)),
        statistics=statistics,
        loss=LossOfSamples("mse_loss", (_PREDICTION,), loss),
        categories=tuple(names[row] for row in ids),
        are_classes=False,
        are_given=True,
    )


def _categories(case: Case, distinct: int, generator: np.random.Generator) -> tuple[list[str], NDArray[np.bool_]]:
    if not case.prevalence:
        return [f"category {number}" for number in generator.integers(0, 8, distinct)], np.zeros(distinct, bool)
    of_category = np.zeros(distinct, bool)
    of_category[generator.choice(distinct, round(case.prevalence * distinct), replace=False)] = True
    return ["rare" if inside else "other" for inside in of_category], of_category


def series(steps: int, count: int, generator: np.random.Generator) -> StepTable:
    """Simulates series over steps that have nothing to do with each other, and drift: half of them random walks, half with memory."""
    noise = generator.normal(size=(count + 1, steps))
    walks = np.cumsum(noise, axis=1)
    with_memory = noise.copy()
    for step in range(1, steps):
        with_memory[:, step] += 0.8 * with_memory[:, step - 1]
    values = np.where(np.arange(count + 1)[:, None] % 2, walks, with_memory) + np.linspace(0, 20, steps)
    keys = [TensorKey(f"tensor {number}", 0) for number in range(count)]
    # The loss has a random walk and a trend.
    loss = walks[-1] - np.linspace(0, 20, steps)
    return StepTable(np.arange(float(steps)), dict(zip(keys, values[:-1], strict=True)), TensorKey("loss", 0), loss)


def naive(table: SampleTable) -> int:
    """How many features correlate with the loss if all rows are pooled: ranks of all steps together, each row a sample."""
    if table.loss is None:
        return 0
    ranks = midranks(table.statistics[:, 0].astype(np.float64))
    r = correlate(ranks, midranks(table.loss.values[None]))[:, 0]
    return int((benjamini_hochberg(two_sided(r * np.sqrt(len(table.rows) - 1))) < _LEVEL).sum())


def false_discovery(case: Case, runs: int) -> tuple[float, float]:
    """The share of runs in which something is reported although nothing is there: when pooled naively, and by us.

    Raises:
        ValueError: The samples are too few to be checked.
    """
    pooled, ours = 0, 0
    for seed in range(runs):
        table = samples(case, np.random.default_rng(seed))
        pooled += naive(table) > 0
        ours += bool(_checked(table).reported)
    return pooled / runs, ours / runs


def false_discovery_of_steps(steps: int, runs: int) -> float:
    """The same for series over steps."""
    reports = [bool(compare_series(series(steps, 60, np.random.default_rng(seed)), StepGraph()).reported) for seed in range(runs)]
    return sum(reports) / runs


def power(case: Case, family: str, runs: int) -> tuple[float, float]:
    """The share of runs in which the association is reported, and the mean number of false ones beside it per run."""
    right = false = 0
    for seed in range(runs):
        reports = _checked(samples(case, np.random.default_rng(seed))).reported
        hits = [each for each in reports if each.family == family and _is_right(each.message)]
        right += bool(hits)
        false += len(reports) - len(hits)
    return right / runs, false / runs


def _is_right(message: str) -> bool:
    return message.startswith("Samples of category rare ") or " `tensor 0` " in message


def _checked(table: SampleTable) -> Associations:
    associations = associate_samples(table, StepGraph())
    if not associations.checked:
        raise ValueError(f"Nothing was checked: {dict(associations.not_checked)}")
    return associations


def results(runs: int, on_case: Callable[[str], None] = lambda _: None) -> str:
    """The tables of the page."""
    lines = [f"### Runs without any association ({runs} of each)", ""]
    lines += ["| simulated | reports something when pooled | reports something |", "|---|---|---|"]
    for name, case in null_cases():
        on_case(name)
        pooled, ours = false_discovery(case, runs)
        lines.append(f"| {name} | {pooled:.0%} | {ours:.1%} |")
    for steps in (40, 120):
        on_case(f"{steps} steps")
        lines.append(f"| 60 series over {steps} steps, all drift | | {false_discovery_of_steps(steps, runs):.1%} |")
    lines += ["", f"### Runs with one association ({runs} of each)", ""]
    lines += ["| simulated, among 60 features and in 30 steps of 32 new samples | found | false ones per run |", "|---|---|---|"]
    for name, case, family in power_cases():
        on_case(name)
        right, false = power(case, family, runs)
        lines.append(f"| {name} | {right:.0%} | {false:.2f} |")
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the tables, and writes them into a page if asked to."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.associations", description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="how many runs of each case (default 200)")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the tables into a page: docs/findings-evaluation.md")
    arguments = parser.parse_args(argv)
    tables = results(arguments.runs, lambda name: print(name, file=sys.stderr, flush=True))
    print(tables, end="")
    if arguments.write is not None:
        write_between(arguments.write, BEGIN, tables)
    return 0


if __name__ == "__main__":
    sys.exit(main())
