"""`NLLLoss` is given the scores of the last layer, without a log softmax: the loss goes to minus infinity."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


class Classifier(nn.Module):
    def __init__(self, log_probabilities: bool) -> None:
        super().__init__()
        self.hidden_1 = nn.Linear(2, 64)
        self.hidden_2 = nn.Linear(64, 64)
        self.output = nn.Linear(64, 3)
        self.log_probabilities = log_probabilities

    def forward(self, points: Tensor) -> Tensor:
        x = torch.relu(self.hidden_1(points))
        x = torch.relu(self.hidden_2(x))
        x = self.output(x)
        return torch.log_softmax(x, dim=1) if self.log_probabilities else x


def _train(setting: Setting) -> None:
    points, arms = spirals(1500)
    model = Classifier(log_probabilities=setting.is_fixed)
    criterion = nn.NLLLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(8):
            running_loss = 0.0
            for rows in torch.randperm(1500).split(60):
                optimizer.zero_grad()
                output = model(points[rows])
                loss = criterion(output, arms[rows])
                loss.backward()
                optimizer.step()
                running_loss += loss.item()
            with torch.no_grad():
                accuracy = (model(points).argmax(dim=1) == arms).float().mean().item()
            print(f"{epoch}: training loss {running_loss / 25:.3f}, accuracy {accuracy:.3f}")


PROGRAM = Program(
    name="scores-given-to-nll-loss",
    train=_train,
    source="Stack Overflow and PyTorch forum, negative loss with NLLLoss, which expects log probabilities",
    truth=Truth(rules=("nll-without-log-softmax", "negative-loss"), nodes=("nll_loss", "model.output: output")),
)
