"""`comgra_export.read` of recordings whose numbers are given here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import comgra_export
from comgra_export.errors import MisuseError, NotARecordingError, UnknownTrialError, WrongChoiceError
from comgra_export.reading import Reading
from support.analysis.runs import RunByHand
from support.analysis.stuck import write_stuck_run
from support.reading.small_run import STEPS, TENSORS, numbers, write_small_run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_small_run(tmp_path / "runs")


@pytest.fixture
def data(root: Path) -> Reading:
    return comgra_export.read(root)


def test_a_recording_has_trials(data: Reading, root: Path) -> None:
    assert list(data.trials) == ["group/trial"]
    trial = data.trial
    assert (trial.group, trial.name, trial.ranks, data.problems, data.omissions) == ("group", "trial", (0,), (), ())
    assert repr(trial) == "<Trial group/trial: 4 steps>"
    assert repr(data) == "<Reading of 1 trial: group/trial>"
    assert trial.ended == "finished"
    assert trial.description == "4 steps, 5 tensors, finished."
    other = RunByHand(root, TENSORS[:1], trial="other")
    other.step(0, {"x": numbers(0)["x"]})
    other.read()
    with pytest.raises(MisuseError, match=r"There are 2 trials.*'group/other', 'group/trial'"):
        _ = comgra_export.read(root).trial
    assert comgra_export.read(root / "group" / "other").trial.name == "other"


def test_a_trial_has_two_names(root: Path) -> None:
    for group, trial in (("group", "big lr"), ("second", "trial")):
        other = RunByHand(root, TENSORS[:1], group=group, trial=trial)
        other.step(0, {"x": numbers(0)["x"]})
        other.read()
    trials = comgra_export.read(root).trials
    assert list(trials) == ["group/big lr", "group/trial", "second/trial"]
    assert trials["big lr"] is trials["group/big lr"] is trials.get("big lr")
    assert (trials["group/big lr"].name, "big lr" in trials, "small lr" in trials, trials.get("small lr")) == ("big lr", True, False, None)
    with pytest.raises(UnknownTrialError) as missing:
        _ = trials["big l"]
    assert isinstance(missing.value, KeyError)
    assert isinstance(missing.value, WrongChoiceError)
    assert str(missing.value) == "There is no trial 'big l'. Did you mean 'group/big lr'?"
    with pytest.raises(UnknownTrialError, match=r"2 trials are called 'trial'\. Give one of them: 'group/trial', 'second/trial'\."):
        _ = trials["trial"]


def test_steps(data: Reading) -> None:
    steps = data.trial.steps
    assert steps["step"].tolist() == [0, 10, 10.000001, 20]
    assert steps["is_training"].tolist() == [True, True, False, True]
    np.testing.assert_array_equal(steps["after_step"], [np.nan, np.nan, 10, np.nan])
    np.testing.assert_array_equal(steps["seconds"], [0, 5, np.nan, 10])
    assert steps["batch_size"].tolist() == [4] * 4
    assert steps.where(step=10)["type"].tolist() == ["train"]


def test_tensors(data: Reading) -> None:
    tensors = data.trial.tensors
    assert tensors["tensor"].tolist() == ["x", "model.weight", "h", "seen", "loss"]
    assert tensors["shape"].tolist() == ["4x3", "3x2", "4x2", "4x5", ""]
    assert tensors.where(tensor="h")["operation"].tolist() == ["AddmmBackward0"]
    assert tensors["type"].tolist() == ["input", "parameter", "calculated", "calculated", "loss"]


def test_statistics_over_the_batch_are_those_of_the_values(data: Reading) -> None:
    rows = data.trial.statistics.where(tensor="x", group="forward")
    assert sorted(set(rows["item"])) == ["abs_max", "abs_mean", "mean", "std"]
    for step in STEPS:
        x = numbers(step)["x"].astype(np.float64)
        row = rows.where(step=step, item="abs_mean")
        by_sample = np.abs(x).mean(axis=1)
        expected = {"mean": by_sample.mean(), "abs_max": by_sample.max(), "std": by_sample.std(ddof=1), "min": x.min(), "max": x.max()}
        for name, value in expected.items():
            np.testing.assert_allclose(row[name], [value], rtol=1e-6, err_msg=name)
        assert [row[name].tolist() for name in ("nan", "posinf", "neginf", "zeros", "count")] == [[0], [0], [0], [int(step == 20)], [12]]


def test_statistics_without_a_batch_have_one_number(data: Reading) -> None:
    loss = data.trial.statistics.where(tensor="loss")
    np.testing.assert_array_equal(loss["mean"], [numbers(step)["loss"] for step in (0, 10, 10, 20)])
    assert np.isnan(loss["std"]).all()
    assert loss["step"].tolist() == [0, 10, 10.000001, 20]
    assert set(loss["item"]) == {"single_value"}


def test_values_that_are_not_finite_are_counted(data: Reading) -> None:
    rows = data.trial.statistics.where(tensor="h", group="forward", item="mean", step=20)
    assert (rows["nan"].tolist(), rows["posinf"].tolist()) == ([1], [1])
    finite = numbers(20)["h"][np.isfinite(numbers(20)["h"])]
    assert (rows["min"].tolist(), rows["max"].tolist()) == ([finite.min()], [finite.max()])


def test_a_gradient_that_was_absent_is_not_zero(data: Reading) -> None:
    rows = data.trial.statistics.where(tensor="model.weight", group="gradients", item="mean")
    assert rows["is_absent"].tolist() == [False, True, False]
    with pytest.raises(WrongChoiceError, match=r"had no gradient of 'gradients' in step 10. This is not a gradient of 0"):
        data.trial.gradients("model.weight", 10)
    np.testing.assert_array_equal(data.trial.gradients("model.weight", 20), np.ones((3, 2), np.float32))


def test_values(data: Reading) -> None:
    trial = data.trial
    for step in STEPS:
        for name in ("x", "model.weight", "h", "loss"):
            values = trial.values(name, step)
            np.testing.assert_array_equal(values, numbers(step)[name])
            assert values.dtype == np.float32
            assert not values.flags.writeable
        np.testing.assert_array_equal(trial.gradients("h", step), np.full((4, 2), step + 1.0))
    assert trial.samples("x", 0) == (0, 1, 2, 3)


def test_values_stay_in_their_file_until_they_are_used(data: Reading) -> None:
    base = data.trial.values("x", 0).base
    while isinstance(base, np.ndarray):
        base = base.base
    assert type(base).__name__ in ("mmap", "memoryview")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (("y", 0), "There is no tensor 'y' in step 0. There are 'x'"),
        (("x", 11), r"^Step 11 was not recorded\. Recorded: 0 to 20, with 1 evaluation; the nearest are 10 and after 10\.$"),
        (("x", 0, 3), "'x' has no iteration 3 in step 0; it has 0"),
        (("x", 0, None, "z"), "'x' has no role 'z' in step 0; it has 'x'"),
        (("x", 0, None, None, 4), "There is no rank 4 of group/trial. The ranks that are here: 0"),
        (
            ("seen", 0),
            "Only statistics of 'seen' were recorded in step 0. Values are recorded by watch with values=True, and by register_tensor",
        ),
    ],
)
def test_what_is_not_there_is_named(call: tuple[object, ...], message: str, data: Reading) -> None:
    with pytest.raises(WrongChoiceError, match=message):
        data.trial.values(*call)  # type: ignore[arg-type]


def test_histograms_have_the_edges_and_counts_of_the_values(data: Reading) -> None:
    for step in STEPS:
        histogram = data.trial.histogram("x", step)
        x = numbers(step)["x"].reshape(-1).astype(np.float64)
        middle = next(place for place in range(len(histogram.counts)) if histogram.edges[place] <= 0 <= histogram.edges[place + 1])
        below, above = histogram.edges[: middle + 1], histogram.edges[middle + 1 :]
        # An edge belongs to the bin with the larger magnitudes.
        np.testing.assert_array_equal(histogram.counts[:middle][::-1], np.histogram(-x[x < 0], -below[::-1])[0])
        np.testing.assert_array_equal(histogram.counts[middle + 1 :], np.histogram(x[x > 0], above)[0])
        assert histogram.counts[middle] == (x == 0).sum()
        assert histogram.counts.sum() == histogram.sampled == 12
        assert histogram.quantiles[0.5] == np.sort(x)[5]
        assert (np.diff(below) > 0).all()
        assert (np.diff(above) > 0).all()
    with pytest.raises(WrongChoiceError, match="There is no histogram of 'h'"):
        data.trial.histogram("h", 0)


def test_curves_and_notes(data: Reading) -> None:
    curves = data.trial.curves
    assert (curves["curve"].tolist(), curves["t"].tolist()) == (["train"] * 2, [0, 10])
    np.testing.assert_array_equal(curves["value"], [1.0, np.nan])
    assert len(data.trial.notes) == len(data.trial.gaps) == 0


def test_the_graph(data: Reading) -> None:
    nodes, edges = data.trial.graph()
    assert nodes["tensor"].tolist() == ["x", "model.weight", "h", "seen", "loss"]
    pairs = list(zip(edges["source"], edges["target"], edges["has_gradient"], strict=True))
    assert pairs == [("x", "h", True), ("model.weight", "h", True), ("h", "seen", False), ("h", "loss", True)]
    assert nodes["tensor"][edges["target_row"]].tolist() == edges["target"].tolist()


def test_findings_are_those_of_the_command(tmp_path: Path) -> None:
    stuck = write_stuck_run(tmp_path)
    (report,) = comgra_export.findings(stuck, mutes=())
    assert comgra_export.read(stuck).trial.findings() == report.findings
    assert "never-updated" in [finding.rule for finding in report.findings]


def test_a_damaged_step_is_left_out_and_named(root: Path) -> None:
    steps = root / "group" / "trial" / "rank-0" / "steps"
    (steps / "000000000010.safetensors").write_bytes(b"")
    (steps / "000000000020.json").write_bytes(b"{")
    trial = comgra_export.read(root).trial
    assert sorted(set(trial.statistics["step"])) == [0, 10.000001]
    assert trial.steps["step"].tolist() == [0, 10, 10.000001]
    assert [problem.partition(".")[0] for problem in trial.problems] == ["Step 20 is damaged", "Step 10 is damaged"]


def test_another_page_beside_recordings_is_not_read(root: Path) -> None:
    for content in ("", "<!doctype html>"):
        (root / "index.html").write_text(content, encoding="utf-8")
        assert list(comgra_export.read(root).trials) == ["group/trial"]


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(NotARecordingError, match="does not exist"):
        comgra_export.read(tmp_path / "none")
    with pytest.raises(NotARecordingError, match="There is no recording"):
        comgra_export.read(str(tmp_path))
