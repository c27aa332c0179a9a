"""The rule `nan-origin` in a step of which only parameters and their gradients were checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Finding, Place
from comgra_export.analysis.findings.rules.non_finite.nan_origin import RULE
from comgra_export.analysis.findings.rules.operations import hides_others
from support.analysis.runs import Given, RunByHand, loss_call

NAN, INF = np.nan, np.inf
PARAMETERS = ("model.0.weight", "model.1.weight")


def _tensors(operation: str = "ReluBackward0", parents: tuple[str, ...] = ("model.0: output",)) -> list[Given]:
    """Two linear layers, with something between them."""
    return [
        *(Given(name, "parameter") for name in PARAMETERS),
        Given("model: input", "input"),
        Given("scaled", operation="div", parents=("model: input",)),
        Given("model.0: output", operation="AddmmBackward0", parents=("scaled", "model.0.weight")),
        Given("model.1: input", operation=operation, parents=parents),
        Given("model.1: output", operation="AddmmBackward0", parents=("model.1: input", "model.1.weight")),
        Given("loss", "loss", operation="MseLossBackward0", parents=("model.1: output",), batch=False),
    ]


def _finding(folder: Path, tensors: list[Given], gradients: dict[str, float], not_finite_after: tuple[str, ...]) -> Finding:
    """Step 0 is recorded, step 3 was checked before its update, and in step 5 some tensors are NaN."""
    written = RunByHand(folder, tensors)
    for step, unusual in ((0, ()), (5, not_finite_after)):
        values = {each.name: np.full((4, 3), NAN if each.name in unusual else 1.0) if each.type != "loss" else 1.0 for each in tensors}
        written.step(step, values, dict.fromkeys(PARAMETERS, NAN if unusual else 0.1))
    largest = {("forward", name): 1.0 for name in PARAMETERS} | {("gradients", name): value for name, value in gradients.items()}
    written.check(3, largest)
    (finding,) = RULE.check(written.read())
    assert finding.step == 3
    return finding


AFTER = (*PARAMETERS, "model.0: output", "model.1: input", "model.1: output")


def test_what_is_not_finite_later_although_its_origins_are_is_the_place(tmp_path: Path) -> None:
    finding = _finding(tmp_path, _tensors(), dict.fromkeys(PARAMETERS, NAN), ("scaled", *AFTER))
    assert finding.place == Place("tensor", "scaled", 0)
    assert "The gradients of all 2 parameters hold NaN before the update of step 3." in finding.message
    assert "`scaled` holds NaN at step 5 too" in finding.message
    assert "its last operation is div" in finding.message


def test_what_follows_from_parameters_that_are_not_finite_is_no_place(tmp_path: Path) -> None:
    finding = _finding(tmp_path, _tensors(), dict.fromkeys(PARAMETERS, NAN), AFTER)
    assert finding.places == (
        Place("tensor", "model.1: output", 0),
        Place("parameter", "model.1.weight"),
        Place("parameter", "model.0.weight"),
    )
    # Only a division outside the network can make such a value, so the place is what the network returned.
    assert "what can make such a value of finite ones is `scaled` (div)." in finding.message


def test_the_only_operations_of_the_network_that_can_make_it_are_the_place(tmp_path: Path) -> None:
    root = _finding(tmp_path / "root", _tensors("SqrtBackward0"), dict.fromkeys(PARAMETERS, NAN), AFTER)
    assert root.place == Place("tensor", "model.1: input", 0)
    assert "is `scaled` (div) and `model.1: input` (sqrt)." in root.message
    # A sum has one operand, so that something lies between.
    several = _tensors("SumBackward1", ("model.0: output", "scaled"))
    hidden = _finding(tmp_path / "hidden", several, dict.fromkeys(PARAMETERS, NAN), AFTER)
    assert hidden.place == Place("tensor", "model.1: input", 0)
    assert "`model.1: input` (operations that are not recorded one by one)." in hidden.message


def test_a_gradient_nearer_to_the_loss_that_is_finite_points_to_the_backward_pass(tmp_path: Path) -> None:
    backward = _finding(tmp_path / "1", _tensors("SqrtBackward0"), {"model.0.weight": NAN, "model.1.weight": 0.1}, AFTER)
    assert backward.places == (Place("tensor", "model.0: output", 0), Place("parameter", "model.0.weight"))
    assert "the gradient of `model.1.weight` is finite. So this probably begins in the backward pass." in backward.message
    # A mask can stop a NaN on its way back, and then the finite gradient is the one that is farther away.
    forward = _finding(tmp_path / "2", _tensors(), {"model.0.weight": 0.1, "model.1.weight": INF}, AFTER)
    assert forward.place == Place("tensor", "model.1: output", 0)
    assert "The gradients of 1 of 2 parameters hold infinity" in forward.message
    assert "none of the others is nearer. So the output of the network is not finite" in forward.message


def _after_network(
    folder: Path,
    operation: str,
    values: dict[int, tuple[float, float]],
    loss: str | None = None,
    **options: Any,  # noqa: ANN401
) -> Finding:
    """A layer, and a result that is computed from its output. Per recorded step: the value of the output, and that of the result."""
    tensors = [
        Given("model.0.weight", "parameter"),
        Given("model: input", "input"),
        Given("model.0: output", operation="AddmmBackward0", parents=("model: input", "model.0.weight")),
        Given("result", operation=operation, parents=("model.0: output",)),
        Given("end", "loss", operation="MeanBackward0", parents=("result",), batch=False),
    ]
    written = RunByHand(folder, tensors)
    calls = [] if loss is None else [loss_call(loss, "model.0: output", "target", "result", **options)]
    for step, (output, result) in values.items():
        given = {"model.0.weight": 1.0, "model: input": 1.0, "model.0: output": output, "result": result}
        written.step(
            step, {name: np.full((4, 3), value) for name, value in given.items()} | {"end": result}, {"model.0.weight": 0.1}, losses=calls
        )
    written.check(3, {("forward", "model.0.weight"): 1.0, ("gradients", "model.0.weight"): NAN})
    (finding,) = RULE.check(written.read())
    return finding


def test_an_operation_between_the_output_and_the_end_comes_before_the_output(tmp_path: Path) -> None:
    finding = _after_network(tmp_path, "ExpBackward0", {0: (0.0, 1.0)})
    assert [place.name for place in finding.places] == ["result", "model.0: output", "model.0.weight"]
    assert "what can make such a value of finite ones is `result` (exp)." in finding.message


def test_an_operation_that_is_defined_for_all_values_is_not_named(tmp_path: Path) -> None:
    finding = _after_network(tmp_path, "SigmoidBackward0", {0: (0.0, 0.5)})
    assert finding.places[0].name == "model.0: output"


@pytest.mark.parametrize(
    ("values", "place"),
    [
        # 6 / 2 and 4 / 2: the divisor is a constant.
        ({0: (6.0, 3.0), 1: (4.0, 2.0)}, "model.0: output"),
        # 6 / 2 and 4 / 1: it is not.
        ({0: (6.0, 3.0), 1: (4.0, 4.0)}, "result"),
        # The same numbers twice tell nothing.
        ({0: (6.0, 3.0), 1: (6.0, 3.0)}, "result"),
    ],
)
def test_a_division_by_a_constant_is_not_named(tmp_path: Path, values: dict[int, tuple[float, float]], place: str) -> None:
    assert _after_network(tmp_path, "DivBackward0", values).places[0].name == place


@pytest.mark.parametrize(("base", "place"), [(-2.0, "model.0: output"), (2.0, "result")])
def test_a_power_that_is_finite_for_a_negative_base_is_not_named(tmp_path: Path, base: float, place: str) -> None:
    assert _after_network(tmp_path, "PowBackward0", {0: (base, 4.0)}).places[0].name == place


@pytest.mark.parametrize(
    ("loss", "options", "place"),
    [
        ("ctc_loss", {"zero_infinity": False}, "result"),
        ("ctc_loss", {"zero_infinity": True}, "model.0: output"),
        ("poisson_nll_loss", {"log_input": True}, "result"),
        ("poisson_nll_loss", {"log_input": False}, "model.0: output"),
        ("mse_loss", {}, "model.0: output"),
        # Weights of classes are a tensor, so they are not among the options. A mean is divided by the sum of those of its targets.
        ("cross_entropy", {"reduction": "mean"}, "result"),
        ("nll_loss", {"reduction": "mean"}, "result"),
        ("cross_entropy", {"reduction": "sum"}, "model.0: output"),
        ("cross_entropy", {"reduction": "mean", "weight": None}, "model.0: output"),
    ],
)
def test_a_loss_function_that_can_be_infinite_is_named(
    tmp_path: Path, loss: str, options: dict[str, bool | str | None], place: str
) -> None:
    assert _after_network(tmp_path, "MeanBackward0", {0: (1.0, 1.0)}, loss, **options).places[0].name == place


def test_of_many_operations_only_those_behind_the_output_are_named(tmp_path: Path) -> None:
    tensors = [
        Given("model.0.weight", "parameter"),
        Given("model: input", "input"),
        *(Given(f"scale{number}", operation="SqrtBackward0", parents=("model: input",)) for number in range(3)),
        Given("model.0: output", operation="AddmmBackward0", parents=("scale0", "scale1", "scale2", "model.0.weight")),
        Given("logarithm", operation="LogBackward0", parents=("model.0: output",)),
    ]
    written = RunByHand(tmp_path, tensors)
    written.step(0, {each.name: np.full((4, 3), 1.0) for each in tensors}, {"model.0.weight": 0.1})
    written.check(3, {("forward", "model.0.weight"): 1.0, ("gradients", "model.0.weight"): NAN})
    (finding,) = RULE.check(written.read())
    assert finding.places[0].name == "logarithm"
    assert (
        "what can make such a value of finite ones, between the output of the network and the end, is `logarithm` (log)." in finding.message
    )


@pytest.mark.parametrize(
    ("operation", "operands", "hides"),
    [
        ("SumBackward1", 1, False),
        ("SumBackward1", 2, True),
        ("ReluBackward0", 2, True),
        ("AddBackward0", 2, False),
        ("AddBackward0", 3, True),
        # A product of batches ends in a view.
        ("ViewBackward0", 2, False),
        ("UnsafeViewBackward0", 3, True),
        ("NativeLayerNormBackward0", 3, False),
        (None, 3, False),
    ],
)
def test_an_operation_with_fewer_operands_than_parents_hides_others(operation: str | None, operands: int, hides: bool) -> None:
    assert hides_others(operation, operands) is hides


def _with_target(
    folder: Path,
    *,
    target: str = "LogBackward0",
    given: bool = True,
    largest: float = 1.0,
    factors: tuple[float, float] | None = None,
    looked_up_by: str | None = None,
) -> Finding:
    """A layer and a loss of a given target; or with `factors`, a product of the output and something that is not recorded."""
    tensors = [
        Given("model.0.weight", "parameter"),
        Given("model: input", "input"),
        Given("model.0: output", operation="AddmmBackward0", parents=("model: input", "model.0.weight")),
        Given("number", "input", dtype=looked_up_by or "I16"),
        Given("product", operation="MulBackward0", parents=("model.0: output", *(["number"] if looked_up_by else []))),
        Given("target", "target", operation=target, parents=() if given else ("model: input",)),
        Given("loss", "loss", operation="MseLossBackward0", parents=("model.0: output", "target"), batch=False),
    ]
    left_out = "product" if factors is None else "target"
    names = [each.name for each in tensors if each.name != left_out and (looked_up_by or each.name != "number")]
    written = RunByHand(folder, tensors)
    for step, factor in enumerate(factors or (1.0, 1.0)):
        values: dict[str, Any] = {name: np.full((4, 3), 1.0 + step) for name in names if name != "loss"}
        if factors is not None:
            values["product"] = values["model.0: output"] * factor
        written.step(step, values | {"loss": 1.0}, {"model.0.weight": 0.1})
    written.check(2, {("forward", "model.0.weight"): largest, ("gradients", "model.0.weight"): 0.1})
    written.check(3, {("forward", "model.0.weight"): 1.0, ("gradients", "model.0.weight"): NAN}, inputs=())
    (finding,) = RULE.check(written.read())
    return finding


def test_a_target_that_the_script_gives_is_the_place_if_nothing_recorded_can_be(tmp_path: Path) -> None:
    finding = _with_target(tmp_path)
    assert [place.name for place in finding.places] == ["target", "model.0: output", "model.0.weight"]
    assert "So it probably comes from `target`, which the script gives: its last operation is log." in finding.message


@pytest.mark.parametrize("options", [{"given": False}, {"largest": 1.1e4}], ids=["computed", "overflow"])
def test_a_target_of_the_network_or_one_beside_large_values_is_not(tmp_path: Path, options: dict[str, Any]) -> None:
    assert _with_target(tmp_path, **options).place.name == "model.0: output"


@pytest.mark.parametrize(("factors", "place"), [((2.0, 3.0), "product"), ((2.0, 2.0), "model.0: output")])
def test_so_is_a_product_whose_other_factor_is_not_recorded(tmp_path: Path, factors: tuple[float, float], place: str) -> None:
    assert _with_target(tmp_path, factors=factors).place.name == place


@pytest.mark.parametrize(("dtype", "place"), [("I16", "product"), ("F32", "model.0: output"), ("BOOL", "model.0: output")])
def test_a_factor_that_is_looked_up_by_numbers_is_not_recorded_either(tmp_path: Path, dtype: str, place: str) -> None:
    assert _with_target(tmp_path, factors=(2.0, 3.0), looked_up_by=dtype).place.name == place


@pytest.mark.parametrize(("gradient", "place"), [(0.1, "target b"), (NAN, "target a")])
def test_each_branch_is_judged_by_its_own_gradients(tmp_path: Path, gradient: float, place: str) -> None:
    """Two layers of one input, each with a loss. The gradient of the first is finite or not."""
    branches = ("a", "b")
    tensors = [Given("model: input", "input")]
    for name in branches:
        tensors += [
            Given(f"model.{name}.weight", "parameter"),
            Given(f"model.{name}: output", operation="AddmmBackward0", parents=("model: input", f"model.{name}.weight")),
            Given(f"target {name}", "target"),
            Given(f"loss {name}", "loss", operation="MseLossBackward0", parents=(f"model.{name}: output", f"target {name}"), batch=False),
        ]
    written = RunByHand(tmp_path, tensors)
    weights = [f"model.{name}.weight" for name in branches]
    values = {each.name: 1.0 if each.type == "loss" else np.ones((4, 3)) for each in tensors}
    written.step(0, values, dict.fromkeys(weights, 0.1))
    of_weights = {("forward", name): 1.0 for name in weights}
    written.check(3, of_weights | {("gradients", weights[0]): gradient, ("gradients", weights[1]): NAN}, inputs=())
    (finding,) = RULE.check(written.read())
    assert finding.place.name == place
