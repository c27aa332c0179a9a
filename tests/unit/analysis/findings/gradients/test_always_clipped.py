"""The rule `always-clipped`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.gradients.always_clipped import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand


def _run(tmp_path: Path, factors: Sequence[float], changes: tuple[str, ...] = ("mul_",), bias: str = "model.bias") -> Run:
    """A linear layer whose output, 8 samples of 4 features, has the gradient 0.5: that of its bias is 4 before it is clipped."""
    layer = Given("model: output", operation="AddmmBackward0", parents=(bias,), module="model")
    written = RunByHand(tmp_path, [Given(bias, "parameter"), layer], optimized=[bias])
    for step, factor in enumerate(factors):
        written.step(
            step,
            {bias: np.ones(4), "model: output": np.ones((8, 4))},
            {bias: 4 / factor, "model: output": 0.5},
            updates={bias: (1.0, 0.1)},
            changed_by=changes,
        )
    return written.read()


def test_clipping_that_makes_every_gradient_much_smaller_is_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, [10.5, 12, 14, 20, 20, 30]))
    assert finding.place.kind == "optimizer"
    assert finding.value == pytest.approx(17)


@pytest.mark.parametrize(("size", "places"), [(21, ["model.weight", "SGD"]), (19, ["SGD"])])
def test_a_weight_whose_gradient_would_explode_comes_first(tmp_path: Path, size: float, places: list[str]) -> None:
    layer = Given("model: output", operation="AddmmBackward0", parents=("model.bias",), module="model")
    written = RunByHand(tmp_path, [*(Given(f"model.{name}", "parameter") for name in ("weight", "bias")), layer], optimized=["model.bias"])
    for step in range(6):
        values = {"model.weight": np.full((4, 4), 2.5), "model.bias": np.ones(4), "model: output": np.ones((8, 4))}
        # The norm of the weight is 10, and that of its gradient before clipping 105 or 95.
        gradients = {"model.weight": size * 5 / 16 / 4, "model.bias": 4 / 16, "model: output": 0.5}
        written.step(step, values, gradients, changed_by=("mul_",))
    (finding,) = RULE.check(written.read())
    assert [place.name for place in finding.places] == places


@pytest.mark.parametrize("factors", [[9.5] * 6, [30, 30, 30, 30, 30, 1]], ids=["little", "not always"])
def test_clipping_that_does_less_is_not(tmp_path: Path, factors: list[float]) -> None:
    assert list(RULE.check(_run(tmp_path, factors))) == []


def test_nothing_is_said_if_nothing_changed_the_gradients(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path, [20] * 6, changes=()))) == []


def test_the_scale_that_a_grad_scaler_took_away_is_no_clipping(tmp_path: Path) -> None:
    unscale, clip = "_amp_foreach_non_finite_check_and_unscale_", "_foreach_mul_"
    with pytest.raises(NotCheckedError, match="GradScaler"):
        list(RULE.check(_run(tmp_path, [20] * 6, changes=(unscale, clip))))
    # Clipped before, they were clipped by far more than it seems.
    assert len(list(RULE.check(_run(tmp_path / "before", [20] * 6, changes=(clip, unscale))))) == 1


def test_without_a_bias_the_factor_is_not_known(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="no layer with a bias"):
        list(RULE.check(_run(tmp_path, [20] * 6, bias="model.weight")))


def _classes(tmp_path: Path, size: float, norms: Sequence[float]) -> Run:
    """A layer for two classes: what goes to one comes from the other, so that all sums are 0.

    The gradient of its output has the norm 8 `size`, and that of its bias the norms that are given.
    """
    layer = Given("model: output", operation="AddmmBackward0", parents=("model.bias",), module="model")
    written = RunByHand(tmp_path, [Given("model.bias", "parameter"), layer], optimized=["model.bias"])
    gradient = size * np.tile([1.0, -1.0], (32, 1))
    for step, norm in enumerate(norms):
        clipped = norm * np.array([1.0, -1.0]) / np.sqrt(2)
        values = {"model.bias": np.ones(2), "model: output": np.ones((32, 2))}
        written.step(step, values, {"model.bias": clipped, "model: output": gradient}, changed_by=("_foreach_mul_",))
    return written.read()


@pytest.mark.parametrize(("size", "count"), [(1.3, 1), (1.2, 0)], ids=["104-fold", "96-fold"])
def test_norms_show_it_where_all_sums_cancel_out(tmp_path: Path, size: float, count: int) -> None:
    findings = list(RULE.check(_classes(tmp_path, size, [0.1] * 6)))
    assert [finding.value for finding in findings] == [pytest.approx(80 * size)] * count


def test_norms_alone_show_nothing_if_they_are_not_the_same_in_every_step(tmp_path: Path) -> None:
    assert list(RULE.check(_classes(tmp_path, 10, [0.1, 0.11] * 3))) == []


@pytest.mark.parametrize(("free", "count"), [(0.03, 1), (0.05, 0)])
def test_values_that_are_clipped_one_by_one_are_nearly_all_at_the_limit(tmp_path: Path, free: float, count: int) -> None:
    written = RunByHand(tmp_path, [Given("w", "parameter")], optimized=["w"])
    for step in range(6):
        # Half of the values lie below the limit of 0.2, by twice the share.
        gradient = 0.2 * np.array([1, 1 - 2 * free, -1, -1 + 2 * free])
        written.step(step, {"w": np.ones(4)}, {"w": gradient}, changed_by=("_foreach_clamp_min_", "_foreach_clamp_max_"))
    findings = list(RULE.check(written.read()))
    assert [finding.value for finding in findings] == [pytest.approx(1 / (np.sqrt(2 * np.pi) * free), rel=1e-4)] * count


def test_a_gradient_that_is_zero_everywhere_says_nothing_about_clipped_values(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, [Given("w", "parameter"), Given("unused", "parameter")], optimized=["w", "unused"])
    for step in range(6):
        gradient = 0.2 * np.array([1, 0.94, -1, -0.94])
        written.step(step, {"w": np.ones(4), "unused": np.ones(4)}, {"w": gradient, "unused": np.zeros(4)}, changed_by=("clamp_",))
    # Half of all largest values are 0, so that there is no common limit, and nothing is divided by 0 on the way.
    assert list(RULE.check(written.read())) == []


@pytest.mark.parametrize("count", [2, 3])
def test_the_share_of_clipped_values_is_that_of_gradients_that_are_there(tmp_path: Path, count: int) -> None:
    names = [f"w{number}" for number in range(count)]
    written = RunByHand(tmp_path, [Given(name, "parameter") for name in names], optimized=names)
    for step in range(40):
        gradients = dict.fromkeys(names, 0.2 * np.array([1, 0.94, -1, -0.94]))
        if step == 20:
            gradients["w0"] = np.zeros(4)
        written.step(step, {name: np.ones(4) for name in names}, gradients, changed_by=("clamp_",))
    (finding,) = RULE.check(written.read())
    assert finding.value == pytest.approx(1 / (np.sqrt(2 * np.pi) * 0.03), rel=1e-4)


def test_clamped_gradients_that_are_not_known_are_not_checked(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, [Given("w", "parameter"), Given("b", "parameter")], optimized=["w", "b"])
    for step in range(6):
        gradients = {"w": np.full(4, 0.2)} | ({} if step % 2 else {"b": np.full(4, 0.2)})
        written.step(step, {"w": np.ones(4), "b": np.ones(4)}, gradients, changed_by=("clamp_",))
    with pytest.raises(NotCheckedError, match="clamped"):
        list(RULE.check(written.read()))


def test_values_at_no_common_limit_are_not_clipped(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, [Given("w", "parameter")], optimized=["w"])
    for step in range(6):
        written.step(step, {"w": np.ones(4)}, {"w": np.full(4, 0.2 + 0.01 * step)}, changed_by=("clamp_",))
    assert list(RULE.check(written.read())) == []


@pytest.mark.parametrize(("kind", "count"), [("Linear", 1), ("Residual", 0)])
def test_a_linear_layer_may_multiply_first_and_add_then(tmp_path: Path, kind: str, count: int) -> None:
    """So it does with what an LSTM returns if the batch comes first. Elsewhere, it is not known what else is added."""
    layer = Given("model.tags: output", operation="AddBackward0", parents=("model.tags.bias",), module="model.tags")
    written = RunByHand(
        tmp_path, [Given("model.tags.bias", "parameter"), layer], {"model": "Net", "model.tags": kind}, optimized=["model.tags.bias"]
    )
    for step in range(6):
        values = {"model.tags.bias": np.ones(4), "model.tags: output": np.ones((8, 4))}
        # 8 samples with a gradient of 0.5 sum to 4, which is 20 times 0.2.
        written.step(step, values, {"model.tags.bias": 0.2, "model.tags: output": 0.5}, changed_by=("mul_",))
    if count:
        (finding,) = RULE.check(written.read())
        assert finding.value == pytest.approx(20)
    else:
        with pytest.raises(NotCheckedError, match="no layer with a bias"):
            list(RULE.check(written.read()))
