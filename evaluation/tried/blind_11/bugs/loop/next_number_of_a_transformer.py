"""A transformer is to find the next number of a sequence. Its loop has `backward` and `step`, and no `zero_grad`."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class NextNumber(nn.Module):
    def __init__(self, length: int, width: int = 24) -> None:
        super().__init__()
        self.embed = nn.Linear(1, width)
        self.position = nn.Parameter(0.1 * torch.randn(length, width))
        layer = nn.TransformerEncoderLayer(width, 2, 48, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.lin = nn.Linear(width, 1)

    def forward(self, numbers: Tensor) -> Tensor:
        x = self.encoder(self.embed(numbers.unsqueeze(2)) + self.position)
        return self.lin(x[:, -1]).squeeze(1)


def sequences(count: int, length: int) -> tuple[Tensor, Tensor]:
    start = torch.randint(0, 100, (count, 1))
    stride = torch.randint(1, 4, (count, 1))
    numbers = (start + stride * torch.arange(length + 1)).float()
    numbers = numbers / 50 - 1.2
    return numbers[:, :-1], numbers[:, -1]


def _train(setting: Setting) -> None:
    model = NextNumber(12)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    running_loss = 0.0
    with setting.watch(model):
        for step in range(160):
            training, labels = sequences(48, 12)
            if setting.is_fixed:
                optimizer.zero_grad()
            outputs = model(training)
            loss = nn.functional.mse_loss(outputs, labels)
            loss.backward()
            optimizer.step()
            running_loss += loss.item()
            if step % 20 == 19:
                print(f"[{step + 1}] loss: {running_loss / 20:.4f}")
                running_loss = 0.0


PROGRAM = Program(
    name="next-number-of-a-transformer",
    train=_train,
    source="PyTorch forum, 'Transformer cannot predict next number in linear sequence', "
    "https://discuss.pytorch.org/t/transformer-cannot-predict-next-number-in-linear-sequence/184454",
    truth=Truth(rules=("gradients-left-over",)),
)
