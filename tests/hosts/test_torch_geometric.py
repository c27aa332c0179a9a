"""Graphs of PyTorch Geometric are opened, and training on them stays as it is."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import comgra_export
from support.hosts.runs import assert_gradients, equal_weights, gradient_norms, needs, norms_of, recording_in, steps_of

needs("torch_geometric")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch_geometric.data import Data
    from torch_geometric.loader import DataLoader
    from torch_geometric.nn import GCNConv, global_mean_pool

pytestmark = pytest.mark.filterwarnings("ignore")


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.head = GCNConv(4, 8), nn.Linear(8, 1)
        self.norms: list[dict[str, float]] = []

    def forward(self, data: Any) -> Tensor:  # noqa: ANN401
        hidden = self.conv(data.x, data.edge_index).relu()
        return self.head(global_mean_pool(hidden, data.batch))  # type: ignore[no-any-return]


def train(folder: Path | None) -> Network:
    torch.manual_seed(0)
    graphs = [Data(x=torch.randn(3, 4), edge_index=torch.tensor([[0, 1, 2], [1, 2, 0]]), y=torch.randn(1, 1)) for _ in range(40)]
    net = Network()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    optimizer.register_step_pre_hook(lambda *_: net.norms.append(norms_of(net.named_parameters())))

    def fit() -> None:
        for _ in range(2):
            for batch in DataLoader(graphs, batch_size=4):
                optimizer.zero_grad()
                nn.functional.mse_loss(net(batch), batch.y).backward()
                optimizer.step()

    if folder is None:
        fit()
    else:
        with comgra_export.watch(net, folder, every=1, strict=True, batch_size=lambda data: data.num_graphs):
            fit()
    return net


def test_graphs_are_opened(tmp_path: Path) -> None:
    net = train(tmp_path)
    assert equal_weights(net, train(None))
    recording = recording_in(tmp_path)
    assert steps_of(recording) == {"train": list(range(20))}
    for number, norms in enumerate(net.norms):
        assert_gradients(gradient_norms(recording, number), norms)
    step = recording.step(3)
    assert step.batch_size == 4
    entries = {entry.name: entry for entry in recording.layout(step.layout).tensors}
    shapes = {name: (entry.shape, entry.batch_dimension) for name, entry in entries.items() if entry.type == "input"}
    assert shapes == {
        "model: input data.x": ((12, 4), None),
        "model: input data.edge_index": ((2, 12), None),
        "model: input data.y": ((4, 1), 0),
        "model: input data.batch": ((12,), None),
        "model: input data.ptr": ((5,), None),
    }
    assert entries["model.head: output"].batch_dimension == 0
