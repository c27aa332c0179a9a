"""Every network of the zoo trains with a recorder as it does without one."""

from __future__ import annotations

import gc
import random
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from comgra_export import (
    ComgraRecorder,
    ComgraRecordingWarning,
    DecisionMakerForRecordingsFrequencyPerType,
    DecisionMakerForRecordingsHardcoded,
)
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_gaps, read_records
from support.zoo.noticing import count_tensors, differences, state_of_process
from support.zoo.programs import MLP, ZOO
from support.zoo.scripts import Program, Script, Watched, train


class Way(NamedTuple):
    """How a recorder is made, which steps it records, whether it decides late, which gaps it may have, and what it sees by itself."""

    arguments: dict[str, Any]
    is_recorded: Callable[[int], bool] = lambda _: True
    decides_late: bool = False
    gaps: tuple[str, ...] = ()
    watched: Watched = "nothing"


OF_CALLS = ("it is a nested tensor",)
EVERY_OTHER_STEP = DecisionMakerForRecordingsHardcoded(range(0, 100, 2))
WAYS = {
    "idle": Way({"decision_maker_for_recordings": DecisionMakerForRecordingsHardcoded(())}, lambda _: False),
    "every step": Way({}),
    "every other step": Way({"decision_maker_for_recordings": EVERY_OTHER_STEP}, lambda step: step % 2 == 0),
    "every other step, decided late": Way({"decision_maker_for_recordings": EVERY_OTHER_STEP}, lambda step: step % 2 == 0, True),
    "watched": Way({"decision_maker_for_recordings": DecisionMakerForRecordingsHardcoded(()), "sentinels": True}, lambda _: False),
    "every step, with all calls": Way({}, gaps=OF_CALLS, watched="calls"),
    "every step, by autograd": Way({"graph": "autograd"}, gaps=("gradients of such tensors are not asked for",)),
}

pytestmark = [
    # The compiler itself asks every tensor for its `.grad`.
    pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf:UserWarning"),
    # LBFGS of torch 2.8 calls float(loss).
    pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad:UserWarning"),
    # The fast path of a transformer uses nested tensors if there is padding.
    pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors is in prototype stage:UserWarning"),
]


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Networks this small are computed several times faster by one thread than by more."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(autouse=True)
def as_before(request: pytest.FixtureRequest) -> Iterator[None]:
    states = random.getstate(), np.random.get_state()
    yield
    if compiles(request.node.name):
        torch.compiler.reset()
    random.setstate(states[0])
    np.random.set_state(states[1])


def compiles(name: str) -> bool:
    """Whether a program, or a test of it, compiles something that is kept."""
    return "compiled" in name


@cache
def train_alone(name: str) -> Script:
    return train(ZOO[name], None)


def train_recorded(
    make_program: Callable[[], Program], recorder: ComgraRecorder, decides_late: bool = False, watched: Watched = "nothing"
) -> Script:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComgraRecordingWarning)
        return train(make_program, recorder, decides_late, watched)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ZOO)
def test_training_is_the_same_and_recorded(name: str, way: str, make_recorder: MakeRecorder) -> None:
    alone = train_alone(name)
    process = state_of_process()
    recorder = make_recorder(strict=False, **WAYS[way].arguments)
    recorded = train_recorded(ZOO[name], recorder, WAYS[way].decides_late, WAYS[way].watched)
    program = ZOO[name]()
    assert list(differences(alone.noticed, recorded.noticed, program.tolerance))[:20] == []
    assert list(differences(process, state_of_process())) == []
    seen = {step: names for step, names in recorded.seen.items() if WAYS[way].is_recorded(step)}
    assert_everything_is_recorded(recorder, seen, (*program.gaps, *WAYS[way].gaps))


@pytest.mark.parametrize("schedule", ["every step", "every other step"])
@pytest.mark.parametrize("name", ZOO)
def test_training_is_the_same_where_steps_are_found(name: str, schedule: str, make_recorder: MakeRecorder) -> None:
    alone = train_alone(name)
    process = state_of_process()
    recorder = make_recorder(strict=False, **WAYS[schedule].arguments)
    recorded = train_recorded(ZOO[name], recorder, watched="calls and steps")
    program = ZOO[name]()
    assert list(differences(alone.noticed, recorded.noticed, program.tolerance))[:20] == []
    assert list(differences(process, state_of_process())) == []
    recording = open_recording(folder_of(recorder))
    steps = [recording.step(number) for number in recording.steps]
    assert steps
    assert all(any(calls is not None for calls in step.calls) for step in steps)
    assert [gap for gap in read_gaps(recorder) if not any(part in gap.reason for part in (*program.gaps, *OF_CALLS))] == []


def assert_everything_is_recorded(recorder: ComgraRecorder, seen: dict[int, set[str]], expected_gaps: tuple[str, ...]) -> None:
    assert open_recording(folder_of(recorder)).steps == tuple(seen)
    for step, names in seen.items():
        assert names <= {tensor for _, tensor, _ in read_records(recorder, step)}
    assert [gap for gap in read_gaps(recorder) if not any(part in gap.reason for part in expected_gaps)] == []


@pytest.mark.parametrize("name", ZOO)
def test_memory_returns_to_its_level(name: str, tmp_path: Path) -> None:
    train_alone(name)
    if compiles(name):
        torch.compiler.reset()
    before = count_tensors()
    recorder = ComgraRecorder(tmp_path, decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(1))
    script = train_recorded(ZOO[name], recorder)
    del recorder, script.recorder
    if compiles(name):
        torch.compiler.reset()
    gc.collect()
    assert [what for what, reference in script.passing if reference() is not None] == []
    del script
    assert count_tensors() == before


def test_two_runs_alone_are_the_same() -> None:
    for name in ZOO:
        assert list(differences(train_alone(name).noticed, train(ZOO[name], None).noticed)) == []
    torch.compiler.reset()


kept: list[object] = []


def nothing(_: MLP, tensor: Tensor) -> None:
    kept.append(0)


def draw(_: MLP, tensor: Tensor) -> None:
    torch.rand(1)


def draw_with_numpy(_: MLP, tensor: Tensor) -> None:
    np.random.rand()


def draw_with_python(_: MLP, tensor: Tensor) -> None:
    random.random()


def hook(program: MLP, tensor: Tensor) -> None:
    kept.append(program.network.register_forward_hook(lambda *_: None))


def hook_everywhere(_: MLP, tensor: Tensor) -> None:
    kept.append(nn.modules.module.register_module_forward_hook(lambda *_: None))


def keep(_: MLP, tensor: Tensor) -> None:
    kept.append(tensor)


def mark(_: MLP, tensor: Tensor) -> None:
    tensor.mark = 1  # type: ignore[attr-defined]


def require_gradient(_: MLP, tensor: Tensor) -> None:
    tensor.requires_grad_()


def patch(_: MLP, tensor: Tensor) -> None:
    kept.append(0)
    nn.Linear.mark = 1  # type: ignore[attr-defined]


def round_parameter(program: MLP, tensor: Tensor) -> None:
    bits = program.scale.data.view(torch.int32)
    bits ^= 1


@pytest.mark.parametrize(
    "sabotage",
    [nothing, draw, draw_with_numpy, draw_with_python, hook, hook_everywhere, keep, mark, require_gradient, patch, round_parameter],
    ids=lambda sabotage: sabotage.__name__,
)
def test_the_harness_notices(sabotage: Callable[[MLP, Tensor], None]) -> None:
    class Sabotaged(MLP):
        def data(self) -> tuple[Tensor, Tensor]:
            x, target = super().data()
            if not kept:
                sabotage(self, x)
            return x, target

    process = state_of_process()
    try:
        noticed = train(Sabotaged, None).noticed
        changes = [*differences(train_alone("MLP").noticed, noticed), *differences(process, state_of_process())]
    finally:
        for thing in kept:
            if hasattr(thing, "remove"):
                thing.remove()
        kept.clear()
        if hasattr(nn.Linear, "mark"):
            del nn.Linear.mark
    assert bool(changes) == (sabotage is not nothing)
