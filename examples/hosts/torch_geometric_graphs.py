"""Train on graphs of PyTorch Geometric, record it, and write report.html. A sample is a graph."""

import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCNConv, global_mean_pool

import comgra_export


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.head = GCNConv(4, 8), nn.Linear(8, 1)

    def forward(self, data: Data) -> torch.Tensor:
        hidden = self.conv(data.x, data.edge_index).relu()
        result: torch.Tensor = self.head(global_mean_pool(hidden, data.batch))
        return result


model = Network()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
ring = torch.tensor([[0, 1, 2], [1, 2, 0]])
graphs = [Data(x=torch.rand(3, 4), edge_index=ring, y=torch.rand(1, 1)) for _ in range(80)]
with comgra_export.watch(model, "recordings", existing_trial="replace", batch_size=lambda data: data.num_graphs):
    for data in DataLoader(graphs, batch_size=4):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(data), data.y).backward()
        optimizer.step()

comgra_export.export("recordings", "report.html", force=True)
