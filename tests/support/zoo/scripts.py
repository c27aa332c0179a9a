"""Training scripts, as the zoo runs them: with a recorder, or without any."""

from __future__ import annotations

import pickle
import random
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from comgra_export import ComgraRecorder
from support.zoo.noticing import copies_of, state_of_module, state_of_optimizer, summary_of

__all__ = ["Program", "Script", "Watched"]

STEPS = 4

Watched = Literal["nothing", "calls", "calls and steps"]
"""What is recorded without the script saying so."""


class Script:
    """The calls of the recorder in a training script, and their effects that the script could notice.

    Args:
        recorder: None if there is none.
        decides_late: Whether the recorder gets the type of a step only when its loss is known.

    Attributes:
        recorder: As given.
        noticed: The observed state of tensors, modules and optimizers, in order.
        seen: The names of the tensors that were registered, by step.
        passing: References to these tensors.
    """

    def __init__(self, recorder: ComgraRecorder | None, decides_late: bool) -> None:
        self.recorder = recorder
        self.noticed: list[tuple[str, Any]] = []
        self.seen: dict[int, set[str]] = {}
        self.passing: list[tuple[str, weakref.ref[Tensor]]] = []
        self._decides_late = decides_late
        self._undecided: str | None = None
        self._step = -1

    @contextmanager
    def batch(self, step: int, size: int, type_of_execution: str = "train") -> Iterator[None]:
        self._step = step
        self.seen[step] = set()
        if self.recorder is None:
            yield
            return
        self._undecided = type_of_execution if self._decides_late else None
        with self.recorder.batch(step, size, None if self._decides_late else type_of_execution):
            yield
            self._decide()

    def iteration(self) -> AbstractContextManager[None]:
        return nullcontext() if self.recorder is None else self.recorder.iteration()

    def see(self, name: str, tensor: Tensor, **roles: Any) -> Tensor:  # noqa: ANN401
        """Registers a tensor, notes its state, and returns it."""
        if self.recorder is not None:
            self.recorder.register_tensor(name, tensor, **roles)
        self.seen[self._step].add(name)
        self.notice(f"{name} when it was registered", summary_of(tensor))
        if not isinstance(tensor, nn.Parameter):
            self.passing.append((f"{name} of step {self._step}", weakref.ref(tensor)))
        return tensor

    def gradients(self, group: str = "gradients", *, forget: bool = False) -> None:
        if self.recorder is not None:
            self._decide()
            self.recorder.record_current_gradients(group, set_gradients_to_zero_if_not_a_parameter=forget)

    def notice(self, what: str, fact: Any) -> None:  # noqa: ANN401
        self.noticed.append((f"step {self._step}: {what}", fact))

    def _decide(self) -> None:
        if self.recorder is not None and self._undecided is not None:
            self.recorder.decide_recording_of_batch(self._undecided)
            self._undecided = None

    def save(self, program: Program) -> None:
        """Copies, pickles and saves everything, as a script does for a checkpoint or an average of weights."""
        self.notice("copies", copies_of({**program.modules, **program.optimizers}))


class Program:
    """A script: what it trains, and one step of it.

    Attributes:
        modules: What it trains. All of them are tracked.
        optimizers: With what.
        scaler: What scales the loss.
        tolerance: By how much results may differ; 0 compares them bit by bit.
        gaps: Parts of the reasons of expected gaps. No other gaps are allowed.
    """

    tolerance: ClassVar[float] = 0.0
    gaps: ClassVar[tuple[str, ...]] = ()

    def __init__(self) -> None:
        self.modules: dict[str, nn.Module] = {}
        self.optimizers: dict[str, Optimizer] = {}
        self.scaler: torch.amp.GradScaler | None = None

    def step(self, step: int, script: Script) -> None:
        raise NotImplementedError


def train(
    make_program: Callable[[], Program], recorder: ComgraRecorder | None, decides_late: bool = False, watched: Watched = "nothing"
) -> Script:
    """Runs a script to its end."""
    torch.manual_seed(7)
    random.seed(8)
    np.random.seed(9)
    program, script = make_program(), Script(None if watched == "calls and steps" else recorder, decides_late)
    if recorder is not None:
        for name, module in program.modules.items():
            if watched == "nothing":
                recorder.track_module(name, module)
            else:
                recorder.watch(module, name)
        if watched == "calls and steps":
            recorder._detect_steps(0)
        recorder.track_optimizers(**program.optimizers)
        if program.scaler is not None:
            recorder.track_grad_scaler(program.scaler)
    for step in range(STEPS):
        program.step(step, script)
        # An extra random number from any of the three sources is noticed.
        states = [pickle.dumps(state).hex() for state in (random.getstate(), np.random.get_state())]
        script.notice("random states", (torch.get_rng_state(), *states))
        for name, module in program.modules.items():
            script.notice(name, state_of_module(module))
        for name, optimizer in program.optimizers.items():
            script.notice(name, state_of_optimizer(optimizer))
        alive = [name for name, reference in script.passing if reference() is not None]
        script.notice("tensors that are still there", alive)
    if recorder is not None:
        recorder.finalize()
    return script
