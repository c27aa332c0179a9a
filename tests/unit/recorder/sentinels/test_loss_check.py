"""Losses on a device are read some steps later. Those on the CPU are tested with the check of updates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from comgra_export.recorder.sentinels.loss_check import LossCheck


class _Steps:
    """Counts steps, and keeps what arrives."""

    def __init__(self) -> None:
        self.step: float | None = 0
        self.arrived: list[tuple[float, float]] = []
        self.errors: list[Exception] = []

    @contextmanager
    def check(self) -> Iterator[LossCheck]:
        check = LossCheck(lambda: self.step, arrived=lambda step, loss: self.arrived.append((step, loss)), report=self.errors.append)
        try:
            yield check
        finally:
            check.remove_hook()


def test_a_loss_that_arrives_from_a_device_names_its_step() -> None:
    steps = _Steps()
    with steps.check() as check:
        for number in range(64):
            check._take_arrived(check._on_device.add(number, "", torch.tensor(torch.nan if number >= 40 else 1.0)))
        # They are read together, some steps later.
        assert [step for step, _ in steps.arrived] == [40]
        check._on_device.add(70, "", torch.tensor(-torch.inf))
        check.finish()
    assert steps.arrived[1:] == [(70, torch.inf)]


def test_a_loss_outside_of_such_a_step_is_not_looked_at() -> None:
    steps = _Steps()
    x = torch.tensor(0.0, requires_grad=True)
    with steps.check() as check:
        steps.step = None
        (x / 0).backward()
        assert check.found is None
        steps.step = 3
        (x / 0).backward()
        assert check.take(4) is None
        (x * torch.inf + 1).backward()
        assert str(check.take(3)) == "nan"
        # It is let go of.
        assert check.take(3) is None
    (x / 0).backward()
    assert check.found is None
    assert steps.errors == []
