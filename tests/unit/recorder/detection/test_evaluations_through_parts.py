"""Scripts that evaluate by calling parts of the watched module, and never the module itself."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import comgra_export
from comgra_export import ComgraRecorder, MisuseError
from comgra_export.storage import open_recording
from support.recorder.automatic_steps import Watch, types_of
from support.recorder.reading import read_calls


class Coder(nn.Module):
    """An autoencoder whose parts the script calls."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 2))
        self.decoder = nn.Linear(2, 3)


class Script:
    def __init__(self) -> None:
        torch.manual_seed(0)
        self.net = Coder()
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.losses: list[Tensor] = []

    def loss(self) -> Tensor:
        x = torch.randn(4, 3)
        return nn.functional.mse_loss(self.net.decoder(self.net.encoder(x)), x)

    def train(self, steps: int, accumulate: int = 1) -> None:
        for _ in range(steps):
            self.optimizer.zero_grad()
            for _ in range(accumulate):
                self.loss().backward()
            self.optimizer.step()

    def evaluate(self, count: int, around: AbstractContextManager[Any] | None = None) -> None:
        self.net.eval()
        with torch.no_grad(), around or nullcontext():
            self.losses += [self.loss() for _ in range(count)]
        self.net.train()


def numbers_of(recorder: ComgraRecorder, step: float) -> tuple[list[str], float]:
    """The modules that a step calls, and the loss that it knows."""
    assert recorder.folder is not None
    recording = open_recording(recorder.folder)
    values = {point.t: point.v for point in recording.curve_points if point.group == "loss" and point.type != "train"}
    return [call.module for call in read_calls(recorder, step)], values[step]


WHOLE = ["model.encoder", "model.decoder"]


@pytest.mark.parametrize("every", [1, 2])
def test_an_evaluation_goes_on_until_a_part_is_called_again(watch: Watch, every: int) -> None:
    script = Script()
    with watch(script.net, decision_maker_for_recordings=None, every=every) as recorder:
        script.evaluate(1)
        script.train(2)
        script.evaluate(4)
        script.train(1)
    kept = [0.000001, 0.000002, 0.000003, 0.000004]
    expected = [(1 + step, "eval") for step in kept[:: 1 if every == 1 else 2]]
    steps = types_of(recorder)
    assert [pair for pair in steps if pair[0] > 0 and pair[1] == "eval"] == expected
    assert (-0.999999, "eval") in steps
    for step, _ in expected:
        modules, loss = numbers_of(recorder, step)
        assert modules == WHOLE
        assert loss == pytest.approx(float(script.losses[round((step - 1) * 1e6)]), rel=1e-6)


def test_a_pass_makes_one_evaluation_of_all_calls(watch: Watch) -> None:
    script = Script()
    with watch(script.net) as recorder:
        script.train(1)
        script.evaluate(2, recorder.forward_pass("validate"))
        script.evaluate(1)
    assert types_of(recorder) == [(0, "train"), (0.000001, "validate"), (0.000002, "eval")]
    assert [call.module for call in read_calls(recorder, 0.000001)] == WHOLE * 2


def test_a_pass_in_training_is_an_iteration(watch: Watch) -> None:
    script = Script()
    with watch(script.net) as recorder:
        script.optimizer.zero_grad()
        for _ in range(2):
            with recorder.forward_pass():
                script.loss().backward()
        script.optimizer.step()
    assert types_of(recorder) == [(0, "train")]
    assert [[call.module for call in read_calls(recorder, 0, iteration)] for iteration in (0, 1)] == [WHOLE] * 2


def test_a_pass_of_no_type_leaves_evaluations_out(watch: Watch) -> None:
    script = Script()
    with watch(script.net) as recorder:
        script.train(1)
        script.evaluate(3, recorder.forward_pass(None))
        with recorder.forward_pass(None):
            script.train(1)
    assert types_of(recorder) == [(0, "train"), (1, "train")]


def test_calls_of_parts_are_left_out_where_the_whole_is_called(watch: Watch) -> None:
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
    with watch(net) as recorder, torch.no_grad():
        net(torch.randn(2, 3))
        net[0](torch.randn(2, 3))
        net(torch.randn(2, 3))
    assert types_of(recorder) == [(-0.999999, "eval"), (-0.999998, "eval")]


def test_results_are_the_same_as_without(watch: Watch) -> None:
    def state_after(script: Script, around: AbstractContextManager[object]) -> list[Tensor]:
        with around:
            script.train(2)
            script.evaluate(3)
            script.train(1)
        return [*script.losses, *script.net.state_dict().values(), torch.get_rng_state()]

    expected = state_after(Script(), nullcontext())
    watched = Script()
    actual = state_after(watched, watch(watched.net))
    assert all(torch.equal(a, b) for a, b in zip(actual, expected, strict=True))


def test_misuse(watch: Watch) -> None:
    net = nn.Linear(3, 1)
    with watch(net) as recorder, torch.no_grad():
        net(torch.randn(2, 3))
        with recorder.forward_pass(), pytest.raises(MisuseError, match="a pass in progress"), recorder.forward_pass():
            pass
        with pytest.raises(MisuseError, match="Use only letters"), recorder.forward_pass("a b"):
            pass
    with comgra_export.ComgraRecorder("", comgra_is_active=False) as inactive, inactive.forward_pass():
        pass
