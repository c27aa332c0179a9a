"""Scripts that do not call the recorder, and the steps that `watch` finds in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn.modules import module as torch_modules
from torch.optim import optimizer as torch_optimizers

from comgra_export import ComgraRecorder
from comgra_export.storage import open_recording


class Watch(Protocol):
    def __call__(self, module: nn.Module, **arguments: Any) -> ComgraRecorder: ...  # noqa: ANN401


def any_hook() -> bool:
    tables = (torch_optimizers._global_optimizer_pre_hooks, torch_optimizers._global_optimizer_post_hooks)
    marks = (torch_modules._global_forward_hooks_with_kwargs, torch_modules._global_forward_hooks_always_called)
    return bool(torch_modules._has_any_global_hook()) or any(map(bool, (*tables, *marks)))


def types_of(recorder: ComgraRecorder) -> list[tuple[float, str]]:
    """Numbers and types of the recorded steps."""
    assert recorder.folder is not None
    recording = open_recording(recorder.folder)
    assert recording.problems == []
    assert recording.gaps == ()
    return [(step, recording.step(step).type_of_execution) for step in recording.steps]


def groups_of(recorder: ComgraRecorder, step: float) -> list[str]:
    assert recorder.folder is not None
    recording = open_recording(recorder.folder)
    return [group.name for group in recording.layout(recording.step(step).layout).groups]


def iterations_of(recorder: ComgraRecorder, step: float) -> int:
    assert recorder.folder is not None
    return len(open_recording(recorder.folder).step(step).calls)


def network() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 8), nn.ReLU(inplace=True), nn.Dropout(), nn.Linear(8, 1))


class Script:
    """A training script that does not call the recorder."""

    def __init__(self, make_optimizer: Callable[..., torch.optim.Optimizer] = torch.optim.Adam) -> None:
        torch.manual_seed(0)
        self.net = network()
        self.optimizer = make_optimizer(self.net.parameters(), lr=0.01)
        self.results: list[Tensor] = []

    def train(self, steps: int, accumulate: int = 1, size: int = 6) -> None:
        for _ in range(steps):
            self.optimizer.zero_grad()
            for _ in range(accumulate):
                loss = self.net(torch.randn(size, 3)).square().mean()
                loss.backward()
                self.results.append(loss.detach())
            nn.utils.clip_grad_norm_(self.net.parameters(), 0.1)
            self.optimizer.step()

    def evaluate(self, passes: int) -> None:
        self.net.eval()
        with torch.no_grad():
            self.results += [self.net(torch.randn(4, 3)) for _ in range(passes)]
        self.net.train()

    def state(self) -> list[Tensor]:
        return [*self.results, *self.net.state_dict().values(), torch.get_rng_state()]


def types_of_so_far(recorder: ComgraRecorder) -> list[tuple[float, str]]:
    recorder.flush()
    return types_of(recorder)
