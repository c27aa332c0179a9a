"""The rule `nan-origin`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.find import find
from comgra_export.analysis.findings.model.finding import Place
from comgra_export.analysis.findings.rules.gradients import updates_too_large
from comgra_export.analysis.findings.rules.non_finite.nan_origin import RULE
from comgra_export.storage import TensorType
from support.analysis.runs import Array, Given, RunByHand

NAN, INF = np.nan, np.inf
WEIGHT = Given("model.weight", "parameter")
CHAIN = [
    WEIGHT,
    Given("x", "input", values=True),
    Given("h", operation="AddmmBackward0", parents=("x", "model.weight")),
    Given("y", operation="LogBackward0", parents=("h",), values=True),
    Given("z", operation="AddmmBackward0", parents=("y",)),
]


def _values(**others: object) -> dict[str, object]:
    """Finite values of the chain, with others in their place: 4 samples of 3 values."""
    return {given.name: np.ones((4, 3)) for given in CHAIN} | others


def _with(value: float, sample: int = 2, element: int = 1) -> Array:
    array = np.ones((4, 3), np.float32)
    array[sample, element] = value
    return array


def test_the_first_tensor_is_named_with_its_operation_and_sample(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, CHAIN)
    written.step(0, _values(), {"model.weight": 0.1})
    written.step(1, _values(h=_with(-0.31), y=_with(NAN), z=_with(NAN)), {"model.weight": NAN})
    written.step(2, _values(**{name: np.full((4, 3), NAN) for name in ("model.weight", "h", "y", "z")}), {"model.weight": NAN})
    (finding,) = RULE.check(written.read())
    assert (finding.step, finding.places) == (1, (Place("tensor", "y", 0),))
    assert "holds NaN at step 1. This is the log of -0.31: `h` (-0.31 to 1)." in finding.message
    assert finding.message.endswith("Sample 2 is recorded; you can open it in the page. The first such value is at element [1].")
    # First how large it was until then. The link of the values leads to that sample, and not to the mean over the batch.
    assert [(view.group, view.name, view.item, view.step, view.sample) for view in finding.evidence] == [
        ("forward", "y", "abs_max", 1, None),
        ("forward", "y", None, 1, 2),
    ]


def test_a_value_that_comes_from_finite_ones_may_have_come_from_what_is_not_recorded(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, CHAIN)
    # A product of finite values of this size is finite, so another one lies between.
    written.step(0, _values(z=_with(NAN)), {"model.weight": NAN})
    (finding,) = RULE.check(written.read())
    assert (
        "Its last operation is addmm. What was recorded before it is finite: `y` (1 to 1). So the value arises in that operation, in "
        "another one between, or comes from something that is not recorded." in finding.message
    )


def test_several_samples_are_listed_and_sentinels_are_advised_only_if_they_are_off(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, CHAIN)
    several = np.ones((4, 3), np.float32)
    several[1:, 0] = NAN
    written.step(0, _values(x=several, h=several, y=several, z=several), {"model.weight": NAN})
    (finding,) = RULE.check(written.read())
    # No step before shows how it went there.
    assert [view.item for view in finding.evidence] == [None]
    assert "Samples 1, 2 and 3 are recorded; you can open them in the page. In sample 1, the first such value is at" in finding.message
    assert any("sentinels=True" in advice for advice in finding.advice)


def test_what_is_said_to_try_fits_what_is_named(tmp_path: Path) -> None:
    operands, data, place = (RunByHand(tmp_path / name, CHAIN) for name in ("operands", "data", "place"))
    operands.step(0, _values(y=_with(NAN), z=_with(NAN)), {"model.weight": NAN})
    data.step(0, _values(x=_with(NAN), h=_with(NAN), y=_with(NAN), z=_with(NAN)), {"model.weight": NAN})
    # Only the gradients of step 1 are known, as without sentinels.
    place.step(0, _values(), {"model.weight": 0.1})
    place.check(1, {("gradients", "model.weight"): NAN})
    findings = [next(iter(RULE.check(run.read()))) for run in (operands, data, place)]
    assert [finding.advice[0].split("`")[0] for finding in findings] == [
        "Look at the operands of the operation, and clamp them or add a small number before log, sqrt and divisions.",
        "Check the data that the samples come from.",
        "Record with ",
    ]
    assert not any("operands of the operation" in advice for finding in findings[1:] for advice in finding.advice)
    assert ["operands that are named" in finding.wrong_if for finding in findings] == [True, False, False]


def test_a_run_without_such_values_has_none(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, CHAIN)
    written.step(0, _values(), {"model.weight": 0.1})
    assert list(RULE.check(written.read())) == []


def test_an_input_is_named_before_all_that_follows(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, CHAIN)
    written.step(7, _values(x=_with(NAN), h=_with(NAN), y=_with(NAN), z=_with(NAN)), {"model.weight": NAN})
    (finding,) = RULE.check(written.read())
    assert (finding.step, finding.place.name) == (7, "x")
    assert "the data is not finite" in finding.message


def test_the_check_of_every_step_gives_the_exact_step(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, CHAIN)
    written.step(0, _values(), {"model.weight": 0.1})
    written.check(3, {("forward", name): 1.0 for name in "xhyz"})
    written.check(4, {("forward", "x"): 1.0, ("forward", "h"): 1.0, ("forward", "y"): INF, ("forward", "z"): NAN})
    written.step(5, _values(**{name: np.full((4, 3), NAN) for name in ("model.weight", "h", "y", "z")}), {"model.weight": NAN})
    (finding,) = RULE.check(written.read())
    assert (finding.step, finding.place.name) == (4, "y")
    assert "holds infinity" in finding.message
    assert "not recorded" in finding.message
    assert not any("sentinels" in advice for advice in finding.advice)


def test_without_a_forward_tensor_the_derivative_is_named(tmp_path: Path) -> None:
    chain = [Given("d", operation="AddBackward0"), Given("r", operation="SqrtBackward0", parents=("d",)), Given("out", parents=("r",))]
    written = RunByHand(tmp_path, chain)
    values = {"d": _with(0.0), "r": _with(0.0), "out": 1.0}
    written.step(0, values, {"d": _with(INF), "r": 1.0, "out": 1.0})
    (finding,) = RULE.check(written.read())
    assert [place.name for place in finding.places] == ["r", "d"]
    assert "derivative of the sqrt of 0" in finding.message


@pytest.mark.parametrize(
    ("step", "since", "words"), [(5, 4, "The update of step 4 made this value"), (8, 8, "An update after step 4 made this value")]
)
def test_without_a_derivative_the_update_before_is_named(tmp_path: Path, step: int, since: int, words: str) -> None:
    written = RunByHand(tmp_path, CHAIN)
    written.step(4, _values(), {"model.weight": 0.1})
    nan = np.full((4, 3), NAN)
    written.step(step, _values(h=nan, y=nan, z=nan, **{"model.weight": nan}), {"model.weight": NAN})
    (finding,) = RULE.check(written.read())
    assert (finding.step, finding.place) == (since, Place("parameter", "model.weight"))
    assert [(evidence.item, evidence.step) for evidence in finding.evidence] == [("abs_max", step), (None, step)]
    assert words in finding.message


@pytest.mark.parametrize(("recorded", "update", "step"), [(6, 0.1, 5), (6, NAN, 6), (6, None, 6), (7, 0.1, 7)])
def test_the_only_step_between_two_recorded_ones_is_known(tmp_path: Path, recorded: int, update: float | None, step: int) -> None:
    written = RunByHand(tmp_path, CHAIN)
    # What step 4 changed is finite, so the next update made the NaN; if it is not, step 4 may have made it.
    written.step(4, _values(), {"model.weight": 0.1}, updates=None if update is None else {"model.weight": (1.0, update)})
    nan = np.full((4, 3), NAN)
    written.step(recorded, _values(h=nan, y=nan, z=nan, **{"model.weight": nan}), {"model.weight": NAN})
    (finding,) = RULE.check(written.read())
    assert finding.step == step
    assert ("The update of step 5 made this value. That step was not recorded." in finding.message) == (step == 5)
    assert [(evidence.item, evidence.step) for evidence in finding.evidence] == [("abs_max", recorded), (None, recorded)]


MASKED = [
    Given("scores", operation="MaskedFillBackward0"),
    Given("attention", operation="SoftmaxBackward0", parents=("scores",)),
    Given("out", parents=("attention",)),
]


def test_negative_infinity_before_a_softmax_is_meant(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, MASKED)
    written.step(0, {"scores": _with(-INF), "attention": _with(0), "out": 1.0})
    assert list(RULE.check(written.read())) == []


def test_a_row_that_is_masked_as_a_whole_is_the_fault_of_the_softmax(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, MASKED)
    written.step(0, {"scores": _with(-INF), "attention": _with(NAN), "out": NAN})
    (finding,) = RULE.check(written.read())
    assert finding.place.name == "attention"


def test_values_without_consequences_are_meant(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, CHAIN)
    written.step(0, _values(x=_with(NAN)), {"model.weight": 0.1})
    assert list(RULE.check(written.read())) == []


@pytest.mark.parametrize(("scale", "count"), [(None, 1), (1024.0, 0)])
def test_a_scaler_of_gradients_skips_such_steps(tmp_path: Path, scale: float | None, count: int) -> None:
    written = RunByHand(tmp_path, CHAIN)
    written.step(0, _values(), {"model.weight": INF}, loss_scale=scale)
    assert len(list(RULE.check(written.read()))) == count


def test_updates_that_were_too_large_before_are_the_cause(tmp_path: Path) -> None:
    weights = [Given("a.weight", "parameter"), Given("b.weight", "parameter")]
    written = RunByHand(tmp_path, [*weights, Given("y", operation="MmBackward0", parents=("a.weight", "b.weight"))])
    names = [given.name for given in weights]
    for step in range(6):
        values = {name: np.ones((2, 2)) for name in names} | {"y": np.full((2, 2), INF if step == 5 else 1.0)}
        written.step(step, values, dict.fromkeys(names, 0.1), updates=dict.fromkeys(names, (2.0, 2.0)))
    (incident,) = find(written.read(), [RULE, updates_too_large.RULE]).incidents
    assert (incident.cause.rule, [each.rule for each in incident.consequences]) == ("updates-too-large", ["nan-origin"])


@pytest.mark.parametrize(("kind", "count"), [("target", 0), ("input", 1)])
def test_gradients_of_targets_are_asked_for_by_nobody(tmp_path: Path, kind: TensorType, count: int) -> None:
    # As binary_cross_entropy has them where a prediction is 0 or 1.
    written = RunByHand(tmp_path, [Given("w", "parameter"), Given("y", kind), Given("loss", "loss", parents=("w", "y"))])
    for step in range(3):
        written.step(step, {"w": np.ones(2), "y": np.ones((4, 1)), "loss": 0.5}, {"w": 0.1, "y": np.inf, "loss": 1.0})
    assert len(list(RULE.check(written.read()))) == count
