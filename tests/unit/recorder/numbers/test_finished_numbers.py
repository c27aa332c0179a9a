"""The writing thread computes the rest of a step, while training goes on and may change every tensor."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder
from comgra_export.recorder.numbers import collector, finished_numbers
from comgra_export.recorder.numbers.compute import compute_numbers
from comgra_export.recorder.numbers.parts import Part, Waiting
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import read_records

B = 3
STEPS = 4
GRACE = 30


class Training:
    """A linear network whose every tensor, gradient and parameter is overwritten when its step is over."""

    def __init__(self, recorder: ComgraRecorder) -> None:
        self.layer = nn.Linear(2, 2)
        self.recorder = recorder
        self.expected: list[dict[str, Tensor]] = []
        recorder.track_module("layer", self.layer)

    def train(self, step: int) -> None:
        x = torch.randn(B, 2)
        weight = self.layer.weight.detach().clone()
        with self.recorder.batch(step, B):
            with self.recorder.iteration():
                self.recorder.register_tensor("x", x)
                y = self.layer(x)
                self.recorder.register_tensor("y", y)
                (y.square().sum() * (step + 1)).backward()
                self.recorder.record_current_gradients("gradients")
            gradient = self.layer.weight.grad
            assert gradient is not None
            self.expected.append({"x": x.clone(), "y": y.detach().clone(), "weight": weight, "gradient": gradient.clone()})
        with torch.no_grad():
            for tensor in (x, y, gradient, self.layer.weight):
                tensor.fill_(step + 0.5)
        self.layer.reset_parameters()
        self.layer.zero_grad()


def check_step(recorder: ComgraRecorder, step: int, expected: dict[str, Tensor]) -> None:
    records = read_records(recorder, step)
    assert records["forward", "x", 0].values.reshape(B, 2).tolist() == expected["x"].tolist()
    assert records["forward", "y", 0].values.reshape(B, 2).tolist() == expected["y"].tolist()
    for group, name in (("forward", "weight"), ("gradients", "gradient")):
        record, values = records[group, "layer.weight", -1], expected[name]
        assert record.extrema == [values.min().item(), values.max().item()]
        assert record.statistics["mean"] == pytest.approx([values.double().mean().item()], rel=1e-6)
        assert record.statistics["svd"] == pytest.approx([torch.linalg.svdvals(values.double())[0].item()], rel=1e-5)


def test_what_is_left_to_compute_has_the_values_of_its_step(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, threads = threading.Event(), set()

    def compute_late(waiting: Sequence[Waiting], *arguments: Any) -> list[Part]:  # noqa: ANN401
        assert opened.wait(GRACE)
        threads.add(threading.current_thread())
        assert waiting
        return compute_numbers(waiting, *arguments)

    monkeypatch.setattr(finished_numbers, "compute_numbers", compute_late)
    training = Training(make_recorder(max_num_batch_size_to_record=None))
    for step in range(STEPS):
        training.train(step)
    opened.set()
    for step, expected in enumerate(training.expected):
        check_step(training.recorder, step, expected)
    assert threading.current_thread() not in threads


def test_what_is_too_large_to_wait_is_computed_at_once(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[int] = []

    def count(waiting: Sequence[Waiting], *arguments: Any) -> list[Part]:  # noqa: ANN401
        left.append(len(waiting))
        return compute_numbers(waiting, *arguments)

    monkeypatch.setattr(finished_numbers, "compute_numbers", count)
    monkeypatch.setattr(collector, "LEFT_BYTES", 10)
    training = Training(make_recorder(max_num_batch_size_to_record=None))
    for step in range(STEPS):
        training.train(step)
    for step, expected in enumerate(training.expected):
        check_step(training.recorder, step, expected)
    assert left == [0] * STEPS
