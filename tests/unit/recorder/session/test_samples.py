"""Which samples are recorded one by one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from comgra_export.errors import MisuseError
from comgra_export.recorder.session.samples import check_labels, choose_samples


def choose_like_comgra(batch_size: int, max_samples: int | None, categories: Sequence[str]) -> list[int]:
    """Round by round, as `decide_recording_of_batch` of comgra 0.11.5 describes it."""
    members = defaultdict(list)
    for index, category in enumerate(categories):
        members[category].append(index)
    wanted = batch_size if max_samples is None else min(batch_size, max_samples)
    chosen: list[tuple[str, int]] = []
    while len(chosen) < wanted:
        for category, indices in members.items():
            if indices and len(chosen) < wanted:
                chosen.append((category, indices.pop(0)))
    return [index for _, index in sorted(chosen)]


def test_categories_take_turns() -> None:
    categories = ["z", "z", "z", "z", "a", "m", "a"]
    assert choose_samples(7, 3, categories) == (4, 5, 0)
    assert choose_samples(7, 5, categories) == (4, 6, 5, 0, 1)
    assert choose_samples(7, 6, categories) == (4, 6, 5, 0, 1, 2)
    assert choose_samples(7, None, categories) == (4, 6, 5, 0, 1, 2, 3)
    assert choose_samples(7, 2, categories) == (4, 0)


def test_without_categories_the_first_samples_are_chosen() -> None:
    assert choose_samples(4, None, None) == (0, 1, 2, 3)
    assert choose_samples(4, 2, None) == (0, 1)
    assert choose_samples(4, 9, None) == (0, 1, 2, 3)
    assert choose_samples(0, 3, None) == choose_samples(0, 3, []) == ()


@given(st.lists(st.sampled_from("dabc"), max_size=20), st.one_of(st.none(), st.integers(0, 25)))
def test_the_choice_is_that_of_comgra(categories: list[str], max_samples: int | None) -> None:
    assert list(choose_samples(len(categories), max_samples, categories)) == choose_like_comgra(len(categories), max_samples, categories)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["a", "b"], ("a", "b")),
        ((1, True), ("1", "True")),
        (range(2), ("0", "1")),
        (torch.tensor([3, -1]), ("3", "-1")),
        (np.array([3, 4], dtype=np.int16), ("3", "4")),
        (np.array(["x", "y"]), ("x", "y")),
        ([torch.tensor(5), np.int64(6)], ("5", "6")),
        ([np.True_, 0.5], ("True", "0.5")),
    ],
)
def test_labels_become_strings(labels: object, expected: tuple[str, ...]) -> None:
    checked = check_labels("start_batch", "sample_ids", labels, 2)
    assert checked == expected
    assert all(type(label) is str for label in checked)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("ab", "is a str"),
        (b"ab", "is a bytes"),
        ({"a", "b"}, "is a set"),
        ({"a": 1, "b": 2}, "is a dict"),
        (None, "is a NoneType"),
        (iter("ab"), "is a str"),
        (["a"], "has 1 entries, but the batch has 2 samples"),
        (torch.tensor([1, 2, 3]), "has 3 entries"),
        (torch.zeros(2, 1), r"has the shape \[2, 1\]"),
        (np.array(3), r"has the shape \[\]"),
        (["a", None], "has a NoneType for sample 1"),
        ([["a"], ["b"]], "has a list for sample 0"),
        ([torch.zeros(2), torch.zeros(2)], "has a Tensor for sample 0"),
    ],
)
def test_other_labels_are_refused(labels: object, message: str) -> None:
    with pytest.raises(MisuseError, match=f"^decide_recording_of_batch: category_per_sample {message}"):
        check_labels("decide_recording_of_batch", "category_per_sample", labels, 2)
