"""Two gradients are read in one call if they are as most trainings have them, and otherwise left to the careful way."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import pytest
import torch
from torch import Tensor, nn

from comgra_export.recorder.numbers.kernels import are_worthwhile, largest_of_plain_pair

pytestmark = pytest.mark.skipif(not are_worthwhile(1), reason="the kernels are not compiled here")

PLAIN = torch.tensor([[0.5, -2.0], [1.0, 0.0]])


def freed() -> Tensor:
    tensor = torch.ones(3)
    tensor.untyped_storage().resize_(0)
    return tensor


def test_the_largest_magnitude_is_that_of_both() -> None:
    assert largest_of_plain_pair(PLAIN, torch.tensor([-3.0])) == largest_of_plain_pair(torch.tensor([-3.0]), PLAIN) == 3
    assert largest_of_plain_pair(torch.zeros(2), torch.zeros(5)) == 0
    assert largest_of_plain_pair(torch.tensor([1.0, -inf]), PLAIN) == inf
    not_a_number = largest_of_plain_pair(PLAIN, torch.tensor([torch.nan]))
    assert not_a_number is not None
    assert not_a_number != not_a_number


@pytest.mark.parametrize(
    "make",
    [
        lambda: None,
        lambda: PLAIN.double(),
        lambda: PLAIN.bfloat16(),
        lambda: PLAIN.t(),
        lambda: PLAIN.to_sparse(),
        lambda: nn.Parameter(PLAIN),
        lambda: torch.ones(3, device="meta"),
        lambda: torch.frombuffer(bytearray(9), dtype=torch.float32, offset=1),
        freed,
    ],
)
def test_any_other_kind_is_left_alone(make: Callable[[], Tensor | None]) -> None:
    assert largest_of_plain_pair(make(), PLAIN) is None
    assert largest_of_plain_pair(PLAIN, make()) is None
