"""The larger workload: a transformer in training, with three registered tensors per layer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional

from comgra_export import ComgraRecorder

__all__ = ["LAYERS", "RECORDED_SAMPLES", "THREADS", "TransformerTraining", "batch_size", "several_threads"]

LAYERS = 6
RECORDED_SAMPLES = 5
# As many as torch takes of itself; asked for before anything changes it.
THREADS = torch.get_num_threads()

_WIDTH = 256
_HIDDEN = 1024
_HEADS = 4
_SEQUENCE = 50
_CLASSES = 10


class _Layer(nn.Module):
    """Self-attention and two linear layers, each added to what came in."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.norm_1 = nn.LayerNorm(_WIDTH)
        self.queries_keys_values = nn.Linear(_WIDTH, 3 * _WIDTH)
        self.projection = nn.Linear(_WIDTH, _WIDTH)
        self.norm_2 = nn.LayerNorm(_WIDTH)
        self.expansion = nn.Linear(_WIDTH, _HIDDEN)
        self.contraction = nn.Linear(_HIDDEN, _WIDTH)

    def forward(self, x: Tensor, recorder: ComgraRecorder, recording_type: str | None) -> Tensor:
        heads = self.queries_keys_values(self.norm_1(x)).unflatten(-1, (3, _HEADS, -1)).permute(2, 0, 3, 1, 4)
        attention = self.projection(functional.scaled_dot_product_attention(*heads).transpose(1, 2).flatten(2))
        recorder.register_tensor(f"{self.name}_attention", attention, recording_type=recording_type)
        x = x + attention
        feed_forward = self.contraction(functional.gelu(self.expansion(self.norm_2(x))))
        recorder.register_tensor(f"{self.name}_feed_forward", feed_forward, recording_type=recording_type)
        x = x + feed_forward
        recorder.register_tensor(f"{self.name}_out", x, recording_type=recording_type)
        return x


class _Transformer(nn.Module):
    """Layers on sequences [B, S, D], and a linear classifier on the mean over the sequence."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(_Layer(f"layer_{number}") for number in range(layers))
        self.classifier = nn.Linear(_WIDTH, _CLASSES)

    def forward(self, x: Tensor, recorder: ComgraRecorder, recording_type: str | None) -> Tensor:
        for layer in self.layers:
            x = layer(x, recorder, recording_type)
        logits: Tensor = self.classifier(x.mean(dim=1))
        return logits


class TransformerTraining:
    """A transformer in training: the same weights and data every time it is made."""

    def __init__(self, layers: int, batch_size: int) -> None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            self.network = _Transformer(layers)
            self._inputs = torch.randn(batch_size, _SEQUENCE, _WIDTH)
            self._target = torch.randint(_CLASSES, (batch_size,))
        self._optimizer = torch.optim.Adam(self.network.parameters(), lr=1e-5)

    def train_once(self, recorder: ComgraRecorder, step: int, recording_type: str | None = None, *, decide_late: bool = False) -> None:
        """Train on one batch.

        Args:
            recorder: Any recorder.
            step: The training step.
            recording_type: That of the registered tensors.
            decide_late: Whether the type of execution is named only after the backward pass: dynamic recording.
        """
        with recorder.batch(step, len(self._inputs), None if decide_late else "training"), recorder.iteration():
            loss = functional.cross_entropy(self.network(self._inputs, recorder, recording_type), self._target)
            recorder.register_tensor("loss", loss, is_loss=True)
            self._optimizer.zero_grad()
            loss.backward()
            if decide_late:
                recorder.decide_recording_of_batch("training")
            recorder.record_current_gradients("gradients")
            self._optimizer.step()


def batch_size(*, quick: bool) -> int:
    """Return the size with which a step of six layers takes about a third of a second on two cores, or a tiny one."""
    return 2 if quick else 24


@contextmanager
def several_threads() -> Iterator[None]:
    """Let torch compute on as many threads as it would of itself."""
    threads = torch.get_num_threads()
    torch.set_num_threads(THREADS)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
