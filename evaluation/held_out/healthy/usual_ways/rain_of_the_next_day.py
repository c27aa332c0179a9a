"""Tomorrow's rain from two weeks of weather, by a recurrent network with dropout. The rain is standardized."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class RainNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(3, 32, num_layers=2, dropout=0.1, batch_first=True)
        self.out = nn.Linear(32, 1)

    def forward(self, weather: Tensor) -> Tensor:
        states, _ = self.gru(weather)
        return self.out(states[:, -1])


def _weather(count: int) -> tuple[Tensor, Tensor]:
    phase = 6.28 * torch.rand(count, 1)
    days = torch.arange(15)
    pressure = torch.sin(phase + 0.5 * days) + 0.1 * torch.randn(count, 15)
    humidity = torch.cos(phase + 0.5 * days + 0.4) + 0.1 * torch.randn(count, 15)
    rain = torch.relu(humidity - 0.5 * pressure) + 0.05 * torch.randn(count, 15)
    rain = (rain - rain.mean()) / rain.std()
    return torch.stack([pressure, humidity, rain], dim=2)[:, :14], rain[:, 14:]


def _train(setting: Setting) -> None:
    weather, rain = _weather(1400)
    model = RainNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=6)
    with setting.watch(model):
        for epoch in range(6):
            model.train()
            for rows in torch.randperm(1200).split(40):
                loss = nn.functional.mse_loss(model(weather[rows]), rain[rows])
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
            scheduler.step()
            model.eval()
            with torch.no_grad():
                test = nn.functional.mse_loss(model(weather[1200:]), rain[1200:])
            print(f"epoch {epoch}: {loss.item():.4f}, test {test.item():.4f}")


PROGRAM = Program(name="rain-of-the-next-day", train=_train, source="PyTorch forum, time series with a GRU")
