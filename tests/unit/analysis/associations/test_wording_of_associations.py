"""Associations in words."""

from __future__ import annotations

import numpy as np
import pytest

from comgra_export.analysis.associations.screening import phase_of_steps
from comgra_export.analysis.associations.wording import in_phases, statistic_of, times_of
from comgra_export.analysis.findings.model.association import FamilyCheck
from comgra_export.analysis.history.series import TensorKey


@pytest.mark.parametrize(
    ("keeps", "text"),
    [
        ([True, True, False], ""),
        ([np.True_, None, np.True_], ""),
        ([True, False, False], " Only early in training."),
        ([False, False, True], " Only late in training."),
        ([None, True, None], " Only in the middle of training. Too little was recorded early in training and late in training to tell."),
        ([None, None, None], " Too little was recorded in each phase of training to compare them."),
        ([False, None, False], " Not in any phase of training alone. Too little was recorded in the middle of training to tell."),
    ],
)
def test_what_is_in_one_phase_only_is_named(keeps: list[bool | None], text: str) -> None:
    assert in_phases(keeps) == text


def test_phases_are_fifths_of_the_numbers_of_steps() -> None:
    numbers = np.array([100, 119, 120, 159, 160, 200])
    assert phase_of_steps(numbers).tolist() == [0, 0, 1, 1, 2, 2]


def test_statistics_name_their_tensor_and_iteration() -> None:
    assert statistic_of("abs_max", TensorKey("h", 2)) == "the largest magnitude of `h` in iteration 2"


@pytest.mark.parametrize(
    ("ratio", "text"), [(0.5, "0.5 times"), (0.96, "0.96 times"), (0.999, "about"), (1.04, "about"), (2.34, "2.3 times")]
)
def test_what_is_as_large_is_not_one_times_as_large(ratio: float, text: str) -> None:
    assert times_of(ratio) == text


def test_a_check_names_how_many_pairs_passed_by_chance() -> None:
    assert FamilyCheck(60, 3, "").sentence == "3 of 60 pairs passed, at most about 0.15 of them by chance."
    nothing = FamilyCheck(2000, 0, "AUC about 0.65 for 200 samples", 12).sentence
    assert (
        nothing
        == "No association above the limits among 2,000 pairs (12 more not checked) (smallest detectable: AUC about 0.65 for 200 samples)."
    )
