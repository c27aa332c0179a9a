"""The recording for the browser tests: a small recurrent network with every kind of tensor and with hostile names."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from comgra_export import ComgraRecorder, DecisionMakerForRecordingsHardcoded

__all__ = ["BATCH", "HOSTILE_NAME", "LENGTHS", "SAMPLES", "TRIALS", "WITHOUT_GRADIENTS", "Kept", "Key", "record_group"]

BATCH = 6
SAMPLES = 3
TRIALS = ("first", "second")
LENGTHS = {0: 2, 5: 3, 10: 2, 15: 3}
WITHOUT_GRADIENTS = 10
HOSTILE_NAME = "</script><img src=x onerror=alert(1)>\"'&\u202e" + "long" * 60


class Key(NamedTuple):
    """Names one recorded tensor."""

    trial: str
    step: int
    recording: str
    iteration: int
    name: str


# What was really in the tensors, kept beside the recorder: float64 arrays with the tensor's shape.
Kept = dict[Key, NDArray[np.float64]]


class Cell(nn.Module):
    """One step of a recurrent network."""

    def __init__(self) -> None:
        super().__init__()
        self.pre = nn.Linear(3 + 4, 5)
        self.out = nn.Linear(5, 2)
        self.mem = nn.Linear(5, 4)

    def forward(self, x: torch.Tensor, memory: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = torch.relu(self.pre(torch.cat([x, memory], dim=1)))
        return torch.sigmoid(self.out(hidden)), torch.tanh(self.mem(hidden))


def record_group(root: Path, group: str = "group", kept: Kept | None = None) -> Path:
    """Record two trials of four steps each; the types of execution are the sequence lengths.

    Args:
        root: Where the recordings go.
        group: Their group.
        kept: Receives what the tensors held.

    Returns:
        The group's folder.
    """
    for seed, trial in enumerate(TRIALS):
        _Run(root, group, trial, seed, {} if kept is None else kept).record()
    return root / group


class _Run:
    """One trial, with a copy of everything that it registers."""

    def __init__(self, root: Path, group: str, trial: str, seed: int, kept: Kept) -> None:
        self.trial = trial
        self.kept = kept
        self.generator = torch.Generator().manual_seed(seed)
        self.net = Cell()
        for parameter in self.net.parameters():
            nn.init.uniform_(parameter, -0.5, 0.5, generator=self.generator)
        self.recorder = ComgraRecorder(
            root,
            group,
            trial,
            DecisionMakerForRecordingsHardcoded(set(LENGTHS)),
            max_num_batch_size_to_record=SAMPLES,
            prefixes_for_grouping_module_parameters_visually=["net.pre", "net.out", "net.mem"],
            prefixes_for_grouping_module_parameters_in_nodes=["net.pre"],
        )
        self.recorder.track_module("net", self.net)
        self.step = 0
        self.iteration = -1

    def record(self) -> None:
        self.recorder.add_note(f"This is {self.trial}. <b>Not bold.</b>")
        for self.step in range(16):
            length = LENGTHS.get(self.step, 2)
            with self.recorder.batch(self.step, BATCH, type_of_execution=f"{length:02d}_iterations"):
                self._record_step(length)
        self.recorder.finalize()

    def _register(self, name: str, tensor: torch.Tensor, **options: object) -> None:
        # The copy is a use of the tensor, so the recorder must see the tensor first.
        self.recorder.register_tensor(name, tensor, **options)  # type: ignore[arg-type]
        self._keep("forward", self.iteration, name, tensor)

    def _keep(self, recording: str, iteration: int, name: str, tensor: torch.Tensor | None) -> None:
        if tensor is not None:
            self.kept[Key(self.trial, self.step, recording, iteration, name)] = tensor.detach().double().numpy().copy()

    def _record_step(self, length: int) -> None:
        self.net.zero_grad()
        self.iteration = -1
        memory = torch.zeros(BATCH, 4)
        self._register("initial_memory", memory, node_name="memory", is_initial_value=True)
        for name, parameter in self.net.named_parameters():
            self._keep("forward", -1, f"net.{name}", parameter)
        for self.iteration in range(length):
            with self.recorder.iteration():
                x = torch.rand(BATCH, 3, generator=self.generator) * 2 - 1
                self._register("input", x, is_input=True)
                output, memory = self.net(x, memory)
                self._register("output", output)
                self._register("memory_out", memory, node_name="memory")
                if self.iteration == length - 1:
                    self._record_last_iteration(output, length)

    def _record_last_iteration(self, output: torch.Tensor, length: int) -> None:
        target = torch.ones(BATCH, 2)
        self._register("target", target, is_target=True)
        self._register_nodes_of_several_roles(output, length)
        self._register_unusual_tensors(output)
        loss_per_sample = (output - target) ** 2
        self._register("loss_per_sample", loss_per_sample)
        loss = loss_per_sample.mean()
        self._register("loss", loss, is_loss=True)
        self._record_gradients(output, target, loss)
        self._record_curves(loss)
        self.recorder.add_note(f"step {self.step}")

    def _register_nodes_of_several_roles(self, output: torch.Tensor, length: int) -> None:
        for index in range(length):
            role = "final" if index == length - 1 else f"up_to_{index}"
            helper = torch.arange(BATCH * 2, dtype=torch.float32).reshape(BATCH, 2) + index
            self._register(f"helper_{index}", helper, node_name="helper", role_within_node=role)
        self._register("pair_of_output", output * 2, node_name="pair", role_within_node="of_output")
        self._register("pair_of_nothing", torch.zeros(BATCH, 2), node_name="pair", role_within_node="of_nothing")

    def _register_unusual_tensors(self, output: torch.Tensor) -> None:
        self._register("half", output.detach().to(torch.bfloat16))
        self._register("count", torch.arange(BATCH).reshape(BATCH, 1) * 1000)
        self._register("picture", torch.linspace(-2, 2, BATCH * 24).reshape(BATCH, 2, 3, 4))
        broken = torch.ones(BATCH, 4)
        broken[0] = torch.tensor([float("nan"), float("inf"), float("-inf"), 0.0])
        self._register(HOSTILE_NAME, broken)

    def _record_gradients(self, output: torch.Tensor, target: torch.Tensor, loss: torch.Tensor) -> None:
        loss.backward()
        if self.step == WITHOUT_GRADIENTS:
            return
        # The derivative of a mean of squares, by hand.
        self._keep("gradients", self.iteration, "output", 2 * (output - target) / output.numel())
        for name, parameter in self.net.named_parameters():
            self._keep("gradients", -1, f"net.{name}", parameter.grad)
        self.recorder.record_current_gradients("gradients")

    def _record_curves(self, loss: torch.Tensor) -> None:
        self.recorder.record_kpi_in_graph("loss", "mean", loss)
        self.recorder.record_kpi_in_graph("loss", "strange", float("nan") if self.step == 5 else float(self.step))
        unbounded = {0: float("inf"), 5: float("nan"), 10: float("-inf")}
        self.recorder.record_kpi_in_graph("never finite", "broken", unbounded.get(self.step, float("nan")))
