"""What tests of watched modules share: a step to record, and the calls that the recording has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder
from support.recorder.reading import Call, read_structure

__all__ = ["Output", "Takes", "X", "Y", "all_nodes", "record", "tree"]


def record(recorder: ComgraRecorder, body: Callable[[], Any], step: int = 0, batch_size: int = 2, *, backward: bool = True) -> None:
    """Records a step of one iteration: what the body returns is the loss."""
    with recorder.batch(step, batch_size), recorder.iteration():
        loss = body()
        if backward:
            loss.backward()
            recorder.record_current_gradients("gradients")


def tree(call: Call) -> dict[str, Any]:
    return {f"{inner.module}#{inner.number}": tree(inner) for inner in call.inner}


def all_nodes(recorder: ComgraRecorder, step: int = 0) -> set[str]:
    return {row.node for row in read_structure(recorder, step).tensors}


@dataclass
class Output:
    logits: Tensor
    count: int


class Takes(nn.Module):
    """Takes and returns values of many types."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, x: Any, mask: Any = None, y: Any = None, *, scale: Any = 1, form: str = "tensor") -> Any:  # noqa: ANN401, ARG002
        first = x[0] if isinstance(x, list) else x
        out = self.inner(first)
        if isinstance(y, Tensor):
            out = out + y
        forms: dict[str, Any] = {
            "tensor": out,
            "dict": {"logits": out, "none": None},
            "dataclass": Output(out, 3),
            "pair": (out, [out * 2]),
        }
        return forms[form]


X, Y = torch.ones(2, 3), torch.full((2, 3), 2.0)
