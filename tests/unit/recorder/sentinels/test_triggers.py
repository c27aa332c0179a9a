"""The largest magnitudes alone decide which steps are worth recording."""

from __future__ import annotations

import math
import random

import pytest

from comgra_export.recorder.sentinels.triggers import TriggerRule

NAN, INFINITY = math.nan, math.inf
H = ("forward", "h", 0)


def reasons(magnitudes: list[float], rule: TriggerRule | None = None, first_step: int = 0) -> dict[int, str]:
    """The results of a rule for the steps of a single tensor."""
    rule = rule or TriggerRule()
    said = {step: rule.observe(step, "train", [H], [magnitude]) for step, magnitude in enumerate(magnitudes, first_step)}
    return {step: reason for step, reason in said.items() if reason is not None}


def test_a_non_finite_value_triggers_when_it_begins_and_not_while_it_lasts() -> None:
    assert reasons([1.0, NAN, NAN, NAN]) == {1: "'h' holds a NaN for the first time"}
    assert reasons([INFINITY, INFINITY]) == {0: "'h' holds an infinity for the first time"}


def test_a_non_finite_value_that_comes_back_triggers_again() -> None:
    assert reasons([1.0, NAN, NAN, 1.0, 0.0, INFINITY]) == {
        1: "'h' holds a NaN for the first time",
        5: "'h' holds an infinity for the first time since step 2",
    }


def test_an_infinity_that_becomes_a_nan_triggers_and_the_reverse_does_not() -> None:
    assert list(reasons([1.0, INFINITY, NAN, INFINITY, INFINITY, NAN])) == [1, 2]
    assert list(reasons([1.0, NAN, INFINITY])) == [1]


def test_non_finite_steps_become_rarer() -> None:
    assert list(reasons([1.0, NAN] * 20)) == [1, 3, 5, 9, 17, 33]


def test_a_single_outlier_triggers() -> None:
    magnitudes = [1.0, 1.1, 0.9, 1.2] * 12
    assert reasons([*magnitudes, 26.25, *magnitudes]) == {
        48: "the largest magnitude of 'h' is 26, 25 times its median of the last 48 steps"
    }


def test_the_median_is_that_of_the_last_fifty() -> None:
    # 60 of 100, then 50 of about 1: the 100 are forgotten. No step is an outlier on the way down.
    magnitudes = [100.0] * 60 + [1.0, 1.1] * 25
    assert reasons([*magnitudes, 10.5]) == {110: "the largest magnitude of 'h' is 10, 10 times its median of the last 50 steps"}
    assert reasons([*magnitudes[:-26], 10.5]) == {}


@pytest.mark.parametrize(("magnitude", "triggers"), [(3.9, False), (4.1, True)])
def test_what_hardly_varies_has_outliers_only_beyond_four_times_its_size(magnitude: float, triggers: bool) -> None:
    assert bool(reasons([1.0] * 30 + [magnitude])) == triggers


def test_what_varies_much_has_its_outliers_further_away() -> None:
    # The logarithms to the base 2 have the median 0 and the median absolute deviation 1: 6 standard deviations are 2 ** (6 * 1.4826).
    magnitudes = [0.25, 0.5, 1.0, 2.0, 4.0] * 8
    assert reasons([*magnitudes, 2**8.8]) == {}
    assert list(reasons([*magnitudes, 2**9.0])) == [40]


def test_twenty_observations_are_needed() -> None:
    assert reasons([1.0] * 19 + [1000.0]) == {}
    assert list(reasons([1.0] * 20 + [1000.0])) == [20]


def test_a_lasting_change_triggers_once() -> None:
    assert list(reasons([1.0] * 40 + [50.0] * 100)) == [40]


def test_a_steady_growth_does_not_trigger() -> None:
    assert reasons([1.05**step for step in range(400)]) == {}


def test_mostly_zeros_and_shrinking_magnitudes_do_not_trigger() -> None:
    assert reasons(([0.0] * 9 + [1.0]) * 10) == {}
    assert reasons([1.0] * 40 + [0.0] * 40 + [1.0]) == {}


def test_non_finite_values_do_not_count_as_observations() -> None:
    assert reasons([1.0] * 19 + [NAN] * 5 + [1000.0]) == {19: "'h' holds a NaN for the first time"}
    assert list(reasons([1.0] * 30 + [NAN] * 5 + [1000.0])) == [30, 35]
    assert list(reasons([NAN] + [1.0] * 20 + [1000.0])) == [0, 21]


def test_the_largest_numbers_are_judged_like_others() -> None:
    assert reasons([1e308] * 30 + [1.7e308]) == {}
    assert list(reasons([1e308] * 30 + [1.7e308, INFINITY])) == [31]
    assert list(reasons([5e-324] * 30 + [1e-320])) == [30]


def test_outliers_become_rarer_and_do_not_delay_a_nan() -> None:
    rule = TriggerRule()
    magnitudes = [1.0] * 30 + [magnitude for k in range(20) for magnitude in (100.0 * 2.1**k, *[1.0] * 9)]
    # One every 10 steps; at least 20, 30, 45, 67.5 steps apart.
    assert list(reasons(magnitudes, rule)) == [30, 50, 80, 130, 200]
    assert rule.observe(230, "train", [H], [NAN]) == "'h' holds a NaN for the first time"


def test_types_of_execution_are_judged_on_their_own() -> None:
    rule = TriggerRule()
    for step in range(0, 200, 2):
        assert rule.observe(step, "train", [H], [1.0]) is None
        assert rule.observe(step + 1, "test", [H], [100.0]) is None
    assert rule.observe(200, "test", [H], [1.0]) is None
    assert rule.observe(201, "train", [H], [100.0]) is not None


def test_the_tensor_that_was_registered_first_is_named() -> None:
    tensors = [("forward", "x", 0), ("forward", "h", 3), ("forward", "loss", 3), ("gradients", "net.weight", -1)]
    rule = TriggerRule()
    assert rule.observe(0, "train", tensors, [1.0, NAN, NAN, NAN]) == (
        "'h' in iteration 3 holds a NaN for the first time; 2 other tensors too"
    )
    assert rule.observe(1, "train", tensors[3:], [1.0]) is None
    assert rule.observe(2, "train", tensors[3:], [INFINITY]) == (
        "the gradient 'gradients' of 'net.weight' holds an infinity for the first time since step 0"
    )


def test_tensors_may_differ_from_step_to_step() -> None:
    rule = TriggerRule()
    rng = random.Random(0)
    for step in range(200):
        tensors = [("forward", "h", iteration) for iteration in range(rng.randrange(1, 6))]
        assert rule.observe(step, "train", tensors, [rng.lognormvariate(0, 0.3) for _ in tensors]) is None
    assert rule.observe(200, "train", [H], [20.0]) is not None


@pytest.mark.parametrize(("before", "named"), [(3.3, "x"), (2.9, "h")], ids=["a record by far", "large, as it was before"])
def test_a_tensor_upstream_is_named_if_it_was_never_as_large_by_far(before: float, named: str) -> None:
    # x is not yet an outlier: the median is 1, and it is less than 4 times as large.
    tensors = [("forward", "x", 0), H, ("forward", "loss", 0)]
    rule = TriggerRule()
    for step in range(40):
        usual = before / 2.2 if named == "x" and step == 20 else before / 1.5 if step == 20 else 1.0
        assert rule.observe(step, "train", tensors, [usual, 1.0, 1.0]) is None
    reason = rule.observe(40, "train", tensors, [before, 50.0, 80.0])
    assert reason is not None
    assert reason.startswith(f"the largest magnitude of '{named}' is")
    assert reason.endswith("2 other tensors too" if named == "x" else "1 other tensor too")


def test_a_tensor_upstream_that_was_zero_before_is_not_named() -> None:
    tensors = [("forward", "x", 0), H]
    rule = TriggerRule()
    for step in range(40):
        assert rule.observe(step, "train", tensors, [0.0, 1.0]) is None
    assert rule.observe(40, "train", tensors, [5.0, 50.0]) == "the largest magnitude of 'h' is 50, 50 times its median of the last 40 steps"


@pytest.mark.parametrize(("magnitude", "triggers"), [(99.0, False), (101.0, True)])
def test_an_outlier_is_twice_as_large_as_those_before_it(magnitude: float, triggers: bool) -> None:
    assert list(reasons([1.0] * 30 + [50.0] + [1.0] * 30 + [magnitude])) == ([30, 61] if triggers else [30])
