"""Steps that go as the last one did are passed over with few calls. What comes of it is the same as if each were checked anew."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
import torch
from torch import nn

import comgra_export
from comgra_export import ComgraRecorder
from comgra_export.errors import MisuseError
from comgra_export.recorder.detection.routine import Routine
from comgra_export.recorder.host.torch_internals import GLOBAL_FORWARD_PRE_HOOKS
from comgra_export.storage import open_recording


class Script:
    """A script with two models and two optimizers, and everything that may come between two steps, or within one."""

    def __init__(self, recorder: ComgraRecorder, model: nn.Module) -> None:
        self.recorder = recorder
        self.model, self.other = model, nn.Linear(3, 3)
        self.optimizer = torch.optim.SGD(model.parameters(), 0.01)
        self.second = torch.optim.SGD(model[0].parameters(), 0.01)  # type: ignore[index]
        recorder.watch(self.other, "other")

    def forward(self) -> None:
        self.model(torch.ones(2, 3)).sum().backward()

    def train(self) -> None:
        self.optimizer.zero_grad()
        self.forward()
        self.optimizer.step()

    def train_much(self) -> None:
        for _ in range(4):
            self.train()

    def evaluate(self) -> None:
        self.model.eval()
        self.model(torch.ones(2, 3))
        self.model.train()

    def train_without_gradients(self) -> None:
        with torch.no_grad():
            self.model(torch.ones(2, 3))

    def call_part(self) -> None:
        self.model[0](torch.ones(2, 3))  # type: ignore[index]

    def call_other(self) -> None:
        self.other(torch.ones(2, 3)).sum().backward()

    def update_only(self) -> None:
        self.optimizer.step()

    def update_second(self) -> None:
        self.second.step()

    def update_in_both(self) -> None:
        self.forward()
        self.second.step()
        self.optimizer.step()

    def train_in_thread(self) -> None:
        thread = threading.Thread(target=self.train)
        thread.start()
        thread.join()

    def abandon_within(self) -> None:
        self.forward()
        self.recorder.abandon_batch()
        self.optimizer.step()

    def begin_by_hand(self) -> None:
        with suppress(MisuseError):
            self.recorder.start_batch(int(self.recorder.training_step or 0) + 1, 2)
            self.recorder.abandon_batch()

    def pass_forward(self) -> None:
        with suppress(MisuseError), self.recorder.forward_pass():
            self.forward()
        self.optimizer.step()

    def fail_within(self) -> None:
        with suppress(RuntimeError):
            self.model(torch.ones(2, 2))

    def accumulate(self) -> None:
        self.forward()
        self.forward()
        self.optimizer.step()


ACTIONS = [name for name in vars(Script) if not name.startswith("_") and name != "forward"]


def run(folder: Path, seed: int) -> tuple[list[object], list[float]]:
    """Does the same things at random. Returns what the script sees after each, and the recorded steps."""
    torch.manual_seed(0)
    random = Random(seed)
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
    seen: list[object] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", comgra_export.ComgraRecordingWarning)
        with comgra_export.watch(model, folder, every=7, check=False) as recorder:
            script = Script(recorder, model)
            for _ in range(60):
                name = random.choice([*ACTIONS, "train_much", "train_much"])
                action: Callable[[], None] = getattr(script, name)
                action()
                order = recorder._steps.is_between_steps, recorder._steps.unrecorded_step, recorder._steps.step_of_exception
                seen.append((name, recorder.training_step, recorder.type_of_execution, order, len(GLOBAL_FORWARD_PRE_HOOKS)))
    return seen, list(open_recording(folder / "default" / "trial" / "rank-0").steps)


@pytest.mark.parametrize("seed", range(12))
def test_it_is_as_if_each_step_were_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    passed: list[bool] = []
    begins = Routine.begins

    def count(self: Routine, module: nn.Module, arguments: tuple[object, ...]) -> bool:
        passed.append(begins(self, module, arguments))
        return passed[-1]

    monkeypatch.setattr(Routine, "begins", count)
    with_routine = run(tmp_path / "with", seed)
    monkeypatch.setattr(Routine, "begins", lambda *_: False)
    monkeypatch.setattr(Routine, "ends", lambda *_: False)
    assert with_routine == run(tmp_path / "without", seed)
    assert any(passed)
