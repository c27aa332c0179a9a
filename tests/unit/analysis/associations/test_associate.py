"""From a recording to what goes together in it. What is expected is counted here again, sample by sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from comgra_export.analysis.associations.associate import associate, associate_samples
from comgra_export.analysis.associations.ranks import Rows
from comgra_export.analysis.associations.sample_losses import LossOfSamples
from comgra_export.analysis.associations.samples import SampleTable, read_samples
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.series import TensorKey
from support.analysis.runs import Given, RunByHand
from support.analysis.samples import BATCH, STEPS, RecordedSamplesRun


def _auc(hard: Sequence[NDArray[np.bool_]], losses: Sequence[NDArray[np.float64]]) -> float:
    """By comparing every hard sample with every easy one of its step."""
    wins = [
        1.0 if hard_one > other else 0.5 if hard_one == other else 0.0
        for is_hard, of_step in zip(hard, losses, strict=True)
        for hard_one in of_step[is_hard]
        for other in of_step[~is_hard]
    ]
    return float(np.mean(wins))


def test_a_category_with_a_larger_loss_is_reported(tmp_path: Path) -> None:
    recorded = RecordedSamplesRun(tmp_path)
    (reported,) = [each for each in associate(recorded.written.read()).reported if each.family == "category"]
    auc = _auc(recorded.hard, recorded.losses)
    assert reported.effect == pytest.approx(auc)
    higher = sum(_auc([hard], [loss]) > 0.5 for hard, loss in zip(recorded.hard, recorded.losses, strict=True))
    assert reported.message.startswith(f"Samples of category hard had higher loss in {higher} of {STEPS} recorded steps (median ")
    assert f"AUC {auc:.2f}, n = 96 and 288 distinct samples" in reported.message
    assert "Only" not in reported.message
    assert (reported.measure, reported.samples) == ("AUC", BATCH * STEPS)
    # The phases are those of the steps 0 to 4, 5 to 13, and 14 to 23.
    parts = [(0, 5), (5, 14), (14, 24)]
    assert reported.phases == pytest.approx([_auc(recorded.hard[begin:end], recorded.losses[begin:end]) for begin, end in parts])


def test_what_only_drifts_is_not_reported(tmp_path: Path) -> None:
    associations = associate(RecordedSamplesRun(tmp_path).written.read())
    # No statistic of x, attention and hidden has to do with the loss. `out` is next to the prediction.
    assert not [each for each in associations.reported if each.family == "feature"]
    check = associations.checked["feature"]
    assert check.passed == 0
    assert 2 < check.pairs <= 15
    assert check.sentence.startswith(
        f"No association above the limits among {check.pairs} pairs (smallest detectable: rank correlation about"
    )


def test_extreme_values_with_a_sparse_tensor_are_reported_with_their_place_in_the_graph(tmp_path: Path) -> None:
    (reported,) = [each for each in associate(RecordedSamplesRun(tmp_path).written.read()).reported if each.family == "event"]
    # The sample with the largest value of its step is the extreme one, and `hidden` is sparse there and nowhere else.
    assert reported.message.startswith(
        "Samples in which the largest magnitude of `attention` is among the largest 5 % of its step have a sparse `hidden` more often: "
        "24 of 24, against 0.0% otherwise (odds ratio "
    )
    assert reported.effect == pytest.approx(24.5 * 360.5 / 0.5**2)
    assert reported.message.endswith("`attention` is upstream of `hidden`.")
    assert [(view.name, view.item) for view in reported.evidence] == [("hidden", None), ("attention", None)]


def test_a_neighbour_in_the_graph_is_no_news(tmp_path: Path) -> None:
    near = associate(RecordedSamplesRun(tmp_path, far=False).written.read())
    assert not [each for each in near.reported if each.family == "event"]
    assert near.checked["event"].passed == 0


def test_samples_with_the_same_inputs_are_the_same(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, [Given("x", "input", values=True), Given("loss", "loss", parents=("x",))])
    values = np.random.default_rng(0).normal(size=(3, 4))
    for step, order in enumerate(([0, 1], [2, 1], [2, 0])):
        written.step(step, {"x": values[order] + np.zeros((2, 4)), "loss": 1.0}, {"x": 0.1})
    table = read_samples(written.read())
    assert isinstance(table, SampleTable)
    assert (table.rows.ids.tolist(), table.rows.steps.tolist(), table.are_given) == ([0, 1, 2, 1, 2, 0], [0, 0, 1, 1, 2, 2], False)
    assert table.statistics[0, 0] == pytest.approx(values[[0, 1, 2, 1, 2, 0]].mean(axis=1), rel=1e-5)
    assert table.statistics[0, 3] == pytest.approx(np.abs(values[[0, 1, 2, 1, 2, 0]]).max(axis=1), rel=1e-5)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    few = associate(RecordedSamplesRun(tmp_path / "few", steps=9).written.read())
    recorded = "144 distinct samples in 9 training steps were recorded with individual values"
    assert few.not_checked["category"] == f"{recorded}, and it needs 200 in 10."
    assert few.not_checked["step"] == "9 training steps were recorded, and it needs 40"
    again = associate(RecordedSamplesRun(tmp_path / "again", same=True).written.read())
    assert again.not_checked["feature"].startswith("16 distinct samples in 24 training steps")
    without = associate(RecordedSamplesRun(tmp_path / "without", values=False).written.read())
    assert without.not_checked["category"].startswith("the loss of single samples is not known: record the values")
    narrow = associate(RecordedSamplesRun(tmp_path / "narrow", batch=9).written.read())
    assert narrow.not_checked["event"] == "a step has 9 recorded samples, and it needs 10 for one of them to be extreme"


def test_a_large_batch_is_read_in_part(tmp_path: Path) -> None:
    recorded = RecordedSamplesRun(tmp_path, steps=25, batch=500)
    table = read_samples(recorded.written.read())
    assert isinstance(table, SampleTable)
    # 20 of the steps, since 4,000 rows are read.
    assert (table.rows.sizes.tolist(), len(table.numbers)) == ([200] * 20, 20)
    assert table.loss is not None
    assert table.loss.values == pytest.approx(np.concatenate([recorded.losses[int(number)][:200] for number in table.numbers]), rel=1e-4)
    assert table.categories is not None
    assert table.categories[:5] == ("hard", "easy", "easy", "easy", "hard")
    assert {"category", "feature"} <= associate(recorded.written.read()).checked.keys()


def _table(statistics: NDArray[np.float32], names: Sequence[str]) -> SampleTable:
    """Ten steps of 20 samples, and 12 values of each tensor per sample. The loss of a sample is its place in the step."""
    rows = Rows(np.repeat(np.arange(10), 20), np.arange(200))
    loss = LossOfSamples("mse_loss", (TensorKey("p", 0),), np.tile(np.arange(20.0), 10))
    tensors = tuple(TensorKey(name, 0) for name in names)
    return SampleTable(
        rows=rows,
        numbers=np.arange(10.0),
        tensors=tensors,
        left_out=0,
        sizes=np.full(len(names), 12),
        statistics=statistics,
        loss=loss,
        categories=None,
        are_classes=False,
        are_given=True,
    )


@pytest.mark.parametrize("name", ["x", "p"], ids=["constant", "next to the loss"])
def test_where_nothing_can_be_compared_nothing_is_said_to_be_checked(name: str) -> None:
    statistics = np.ones((1, 4, 200), np.float32)
    if name == "p":
        statistics[:] = np.random.default_rng(0).normal(size=(1, 4, 200))
        statistics[:, 1:] = np.abs(statistics[:, 1:])
    associations = associate_samples(_table(statistics, [name]), StepGraph())
    assert associations.checked == {}
    assert associations.not_checked["feature"] == "nothing varies between samples but what lies next to the loss"
    assert "sparse" in associations.not_checked["event"]


@pytest.mark.filterwarnings("error")
def test_steps_of_infinite_values_count_for_nothing() -> None:
    values = np.abs(np.random.default_rng(0).normal(size=(1, 4, 200))).astype(np.float32)
    values[0, 0] = np.tile(np.arange(20.0), 10)
    values[:, :, :20] = np.inf
    (reported,) = associate_samples(_table(values, ["x"]), StepGraph()).reported
    assert reported.message.startswith("Samples in which the mean of `x` is larger had higher loss than others of their step (")


def test_samples_whose_loss_is_not_finite_are_not_counted() -> None:
    table = _table(np.ones((1, 4, 200), np.float32), ["x"])
    assert table.loss is not None
    table.loss.values[0] = np.nan
    reason = associate_samples(table, StepGraph()).not_checked["feature"]
    assert reason.startswith("counting samples whose loss is known and finite: 199 distinct samples in 10 training steps were recorded")


def test_a_step_in_which_all_have_the_same_loss_is_neither_higher_nor_lower() -> None:
    table = _table(np.ones((1, 4, 200), np.float32), ["x"])
    assert table.loss is not None
    table.loss.values[:20] = 1
    named = replace(table, categories=tuple("easy" if place % 20 < 8 else "hard" for place in range(200)))
    (reported,) = associate_samples(named, StepGraph()).reported
    assert reported.message.startswith("Samples of category easy had lower loss in 9 of 10 recorded steps (")
