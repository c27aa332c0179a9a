"""Several threads of one process train at once. Some of them are watched, and none of them notices the others."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import comgra_export
from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType
from comgra_export.storage import open_recording

STEPS = 16
EVERY = 2
X = torch.linspace(-1, 1, 12).reshape(3, 4)
KINDS = ("watched", "plain", "by hand", "watched", "plain", "watched", "by hand", "plain")


@pytest.fixture(autouse=True)
def threads_take_turns_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def make_training(seed: int) -> tuple[nn.Module, Callable[[], None]]:
    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.linspace(-0.5, 0.1 * seed, parameter.numel()).reshape(parameter.shape))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

    def train() -> None:
        optimizer.zero_grad()
        model(X).square().sum().backward()
        optimizer.step()

    return model, train


def train_in(kind: str, folder: Path, seed: int) -> list[Tensor]:
    """Trains, and returns the parameters."""
    model, train = make_training(seed)
    if kind == "plain":
        # So many that it goes on while the others record.
        for _ in range(STEPS * 10):
            train()
    elif kind == "watched":
        schedule = DecisionMakerForRecordingsFrequencyPerType(EVERY)
        with comgra_export.watch(model, folder, trial_id=f"{seed}", decision_maker_for_recordings=schedule):
            for _ in range(STEPS):
                train()
    else:
        schedule = DecisionMakerForRecordingsFrequencyPerType(EVERY)
        with ComgraRecorder(folder, "by hand", f"{seed}", decision_maker_for_recordings=schedule) as recorder:
            recorder.track_module("net", model)
            for step in range(STEPS):
                with recorder.batch(step, 3), recorder.iteration():
                    train()
                    recorder.record_current_gradients("gradients")
    return [parameter.detach().clone() for parameter in model.parameters()]


def test_no_training_ends_and_every_step_is_recorded(tmp_path: Path) -> None:
    results: dict[int, list[Tensor]] = {}
    errors: list[BaseException] = []

    def run(seed: int) -> None:
        try:
            results[seed] = train_in(KINDS[seed], tmp_path / KINDS[seed], seed)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(len(KINDS))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    for seed, kind in enumerate(KINDS):
        model, train = make_training(seed)
        for _ in range(STEPS * 10 if kind == "plain" else STEPS):
            train()
        for parameter, trained in zip(model.parameters(), results[seed], strict=True):
            assert torch.equal(parameter, trained)
    recordings = [open_recording(file.parent) for file in tmp_path.rglob("recording.json")]
    assert len(recordings) == len(KINDS) - KINDS.count("plain")
    for recording in recordings:
        assert list(recording.steps) == list(range(0, STEPS, EVERY))
        assert recording.problems == []
        assert recording.gaps == ()
