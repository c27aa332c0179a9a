"""What tests of gradients through single calls share: a step to record, and what the recording says of each call."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder
from comgra_export.storage import open_recording
from comgra_export.storage.model.layout import FLAG_GRADIENT_ABSENT
from support.recorder.reading import Record, folder_of, read_records

__all__ = ["Port", "Residual", "Two", "alone", "mean_of", "means", "names_of", "record", "scale"]

Port = tuple[str, int, str]
"""An input: the module, which of its calls in the iteration, and the path."""


def record(recorder: ComgraRecorder, body: Callable[[], Tensor | None], batch_size: int = 1) -> None:
    """Records a step of one iteration. What the body returns is the loss; if it returns none, it has run its backward passes itself."""
    with recorder.batch(0, batch_size), recorder.iteration():
        loss = body()
        if loss is not None:
            loss.backward()
        recorder.record_current_gradients("gradients")


def names_of(recorder: ComgraRecorder, iteration: int = 0) -> dict[Port, tuple[str | None, str | None]]:
    """For every tensor that went into a call, the record of it, and that of its gradient through this call alone."""
    recording = open_recording(folder_of(recorder))
    tree = recording.calls(recording.step(0).calls[iteration] or "")
    names = [module.name for module in recording.network.modules]
    return {
        (names[tree.calls[port.call].module], tree.calls[port.call].number, port.path): (port.record_name, port.gradient_record_name)
        for port in tree.ports
        if port.side == "input" and port.record_name is not None
    }


def alone(recorder: ComgraRecorder) -> dict[Port, str]:
    """The inputs that have a gradient of their own, with the names of the records."""
    return {port: own for port, (_, own) in names_of(recorder).items() if own is not None}


def means(recorder: ComgraRecorder, group: str = "gradients") -> dict[str, float | None]:
    """The mean of each record of a gradient in the first iteration, over the values and the batch; None where it was absent."""
    records = read_records(recorder)
    return {name: mean_of(kept) for (of, name, iteration), kept in records.items() if of == group and iteration == 0}


def mean_of(kept: Record) -> float | None:
    absent = kept.counts[4] & FLAG_GRADIENT_ABSENT
    return None if absent else next(iter(kept.statistics.values()))[0]


class Two(nn.Module):
    """Two layers without bias that read the same."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(2, 3, bias=False)
        self.b = nn.Linear(2, 2, bias=False)
        self.a.weight.data = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        self.b.weight.data = torch.tensor([[1.0, 0.0], [2.0, -1.0]])

    def forward(self, x: Tensor) -> Tensor:
        return self.a(x).sum() + 3 * self.b(x).sum()  # type: ignore[no-any-return]


class Residual(nn.Module):
    def __init__(self, branch: nn.Module) -> None:
        super().__init__()
        self.branch = branch

    def forward(self, x: Tensor) -> Tensor:
        return x + self.branch(x)  # type: ignore[no-any-return]


def scale(by: float) -> nn.Linear:
    """A layer that multiplies by a number."""
    layer = nn.Linear(1, 1, bias=False)
    layer.weight.data.fill_(by)
    return layer
