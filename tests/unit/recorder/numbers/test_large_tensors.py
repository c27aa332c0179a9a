"""How often the values of large tensors are read if only their statistics are recorded."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from comgra_export.recorder.numbers.cpu_statistics import read_rows
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import read_records


def test_a_tensor_whose_values_lie_in_another_order_is_read_once_also_with_a_histogram(
    make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []

    def count(rows: torch.Tensor, *arguments: Any) -> object:  # noqa: ANN401
        read.append(rows.numel())
        return read_rows(rows, *arguments)

    monkeypatch.setattr("comgra_export.recorder.numbers.large_tensors.read_rows", count)
    recorder, network = make_recorder(), nn.Identity()
    recorder.watch(network, "net")
    image = torch.rand(4, 64, 20, 20).to(memory_format=torch.channels_last)
    with recorder.batch(0, 4), recorder.iteration():
        network(image)
    assert read == [image.numel()]
    (record,) = (record for (group, _, _), record in read_records(recorder).items() if group == "forward")
    assert record.extrema == [image.min().item(), image.max().item()]
    assert record.entry.histogram
