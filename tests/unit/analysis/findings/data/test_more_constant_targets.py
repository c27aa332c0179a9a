"""The rule `constant-target` for pairs of a batch, and for padding."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Finding, Severity
from comgra_export.analysis.findings.rules.data.constant_target import RULE
from comgra_export.analysis.history.series import Floats
from comgra_export.storage import TensorReference
from support.analysis.runs import Given, RunByHand, loss_call


def _of_pairs(folder: Path, operation: str = "DivBackward0", columns: int = 40, last: int = 0) -> list[Finding]:
    tensors = [
        Given("left"),
        Given("right"),
        Given("scores", operation=operation, parents=("left", "right")),
        Given("target", "target", dtype="I16"),
        Given("loss", "loss", parents=("scores", "target"), batch=False),
    ]
    written = RunByHand(folder, tensors)
    for step in range(5):
        sides = {name: np.ones((40, 3)) for name in ("left", "right")}
        target = np.full(40, last if step == 4 else 0)
        call = loss_call("cross_entropy", "scores", reduction="mean")
        values = {**sides, "scores": np.zeros((40, columns)), "target": target, "loss": 1.0}
        written.step(step, values, {"scores": 0.1}, losses=(call,), backward_roots=(call.result,))
    return list(RULE.check(written.read()))


def test_one_partner_for_all_samples_of_a_batch_is_named(tmp_path: Path) -> None:
    (finding,) = _of_pairs(tmp_path)
    assert [place.name for place in finding.places] == ["target", "scores"]
    assert finding.message.startswith("All 200 recorded targets of cross_entropy for `scores` are 0. It is a product of 40 by 40 values")


@pytest.mark.parametrize(
    ("operation", "columns", "last"),
    # The right one stands first; as many as a queue holds; another partner in one of the steps.
    [("CatBackward0", 40, 0), ("DivBackward0", 41, 0), ("DivBackward0", 40, 1)],
)
def test_similarities_of_which_the_first_is_right_are_in_order(tmp_path: Path, operation: str, columns: int, last: int) -> None:
    assert _of_pairs(tmp_path, operation, columns, last) == []


def _of_padding(
    folder: Path,
    words: int,
    *,
    padding: bool = True,
    ignore_index: float = -100,
    tags: int | None = None,
    dtype: str = "I16",
    reduction: str = "mean",
) -> list[Finding]:
    """Twelve sentences of ten places, of which some are words; targets are 0 at all other places, or after `tags` places."""
    tensors = [
        Given("model.embedding.weight", "parameter"),
        Given("model: input", "input", dtype="I16"),
        Given("embedded", operation="EmbeddingBackward0", module="model.embedding", parents=("model: input", "model.embedding.weight")),
        Given("scores", operation="AddmmBackward0", parents=("embedded",)),
        Given("target", "target", dtype=dtype),
        Given("loss", "loss", parents=("scores", "target"), batch=False),
    ]
    descriptions = {"model.embedding": "60, 24" + ", padding_idx=0" * padding}
    written = RunByHand(folder, tensors, {"model": "Net", "model.embedding": "Embedding"}, descriptions=descriptions)
    places = np.tile(np.arange(10), (12, 1))
    call = loss_call("cross_entropy", "scores", ignore_index=ignore_index, reduction=reduction, weight=None)
    for step in range(5):
        sentence = np.where(places < words, 1 + places, 0)
        target = np.where(places < (words if tags is None else tags), 2 + places, 0)
        values = {"model.embedding.weight": [[1.0]], "model: input": sentence, "embedded": np.ones((12, 10, 2)), "loss": 1.0}
        outputs = {"scores": np.zeros((120, 12)), "target": target.reshape(-1)}
        written.step(step, values | outputs, {"scores": 0.1}, losses=(call,), backward_roots=(call.result,))
    return list(RULE.check(written.read()))


@pytest.mark.parametrize(("words", "padding", "severity"), [(7, True, Severity.PROBLEM), (4, False, Severity.SYMPTOM)])
def test_padding_that_counts_is_named(tmp_path: Path, words: int, padding: bool, severity: Severity) -> None:
    (finding,) = _of_padding(tmp_path, words, padding=padding)
    assert [place.name for place in finding.places] == ["target", "scores"]
    assert finding.value == pytest.approx(1 - words / 10)
    assert finding.severity == severity
    assert "as many values of `model: input` are 0 in each of 5 recorded steps" in finding.message


@pytest.mark.parametrize(
    "given",
    [
        {"words": 8},
        {"words": 5, "padding": False},
        {"words": 4, "ignore_index": 0},
        # 60 targets more are 0 than places are padding: the room is two for each of 12 sentences.
        {"words": 8, "tags": 3},
        {"words": 4, "dtype": "F32"},
        # The script may leave them out itself.
        {"words": 4, "reduction": "none"},
    ],
    ids=["little padding", "not declared", "left out", "another number of zeros", "numbers", "one loss for each"],
)
def test_zeros_that_are_few_or_no_padding_or_left_out_are_in_order(tmp_path: Path, given: dict[str, object]) -> None:
    assert _of_padding(tmp_path, **given) == []  # type: ignore[arg-type]


NUMBERS = np.array([0.3, -1.2, 0.7])


def _of_batches(folder: Path, targets: list[Floats], root: str = "loss") -> list[Finding]:
    """A regression of three numbers for each of eight samples, with a target in each step."""
    tensors = [
        Given("out"),
        Given("target", "target"),
        Given("loss", "loss", parents=("out", "target"), batch=False),
        Given("sum", operation="AddBackward0", parents=("loss",), batch=False),
    ]
    written = RunByHand(folder, tensors)
    for step, target in enumerate(targets):
        call = loss_call("mse_loss", "out", reduction="mean")
        values = {"out": np.zeros(target.shape), "target": target, "loss": 1.0, "sum": 1.0}
        written.step(step, values, {"out": 0.1}, losses=(call,), backward_roots=(TensorReference(root, 0),))
    return list(RULE.check(written.read()))


def _repeated(numbers: Floats) -> Floats:
    return np.tile(numbers, (8, 1))


@pytest.mark.parametrize("factor", [1.0, 1.1], ids=["one noise", "one for a batch"])
def test_a_target_that_all_samples_share_is_named(tmp_path: Path, factor: float) -> None:
    """A network may bring all samples to one point, and an ensemble is compared with one observation in each step."""
    (finding,) = _of_batches(tmp_path, [_repeated(NUMBERS * factor**step) for step in range(5)])
    assert ([place.name for place in finding.places], finding.severity, finding.step) == (["target", "out"], Severity.SYMPTOM, 0)


@pytest.mark.parametrize(
    "targets",
    [
        [*[_repeated(NUMBERS)] * 4, np.linspace(-1, 1, 24).reshape(8, 3)],
        [np.eye(3)[np.arange(8) % 3]] * 5,
        [np.where(np.eye(3)[np.arange(8) % 3] > 0, 0.9, 0.05)] * 5,
        [np.tile([0.0, 2.0, 5.0], (8, 1))] * 5,
        [_repeated(NUMBERS)[:1]] * 5,
    ],
    ids=["samples differ once", "one-hot", "smooth one-hot", "whole numbers", "one sample"],
)
def test_other_targets_with_equal_statistics_say_nothing(tmp_path: Path, targets: list[Floats]) -> None:
    assert _of_batches(tmp_path, targets) == []


def test_a_target_that_all_samples_share_may_be_a_term_of_the_loss(tmp_path: Path) -> None:
    assert _of_batches(tmp_path, [_repeated(NUMBERS)] * 5, root="sum") == []


@pytest.mark.parametrize(("pair", "count"), [((0.3, -1.2), 1), ((0.9, 0.1), 0), ((0.7, -0.7), 0)], ids=["numbers", "smooth", "signs"])
def test_two_numbers_may_be_a_code_of_two_classes(tmp_path: Path, pair: tuple[float, float], count: int) -> None:
    assert len(_of_batches(tmp_path, [_repeated(np.array(pair))] * 5)) == count


@pytest.mark.parametrize(("ignore_index", "count"), [(-100.0, 1), (3.0, 0)])
def test_targets_that_are_all_left_out_are_no_targets(tmp_path: Path, ignore_index: float, count: int) -> None:
    tensors = [
        Given("out", operation="AddmmBackward0", module="model"),
        Given("target", "target", dtype="I16"),
        Given("loss", "loss", parents=("out", "target"), batch=False),
    ]
    written = RunByHand(tmp_path, tensors)
    for step in range(5):
        call = loss_call("cross_entropy", "out", reduction="mean", ignore_index=ignore_index)
        values = {"out": np.zeros((40, 5)), "target": np.full(40, 3), "loss": 1.0}
        written.step(step, values, {"out": 0.1}, losses=(call,), backward_roots=(call.result,))
    assert [finding.place.name for finding in RULE.check(written.read())] == ["target"] * count
