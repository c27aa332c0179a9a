"""A film has up to four genres. The last layer is a softmax, whose outputs sum to one, and each is compared with zero or one."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Genres(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.words = nn.EmbeddingBag(60, 32, mode="mean")
        self.out = nn.Linear(32, 8)
        self.last = nn.Sigmoid() if is_fixed else nn.Softmax(dim=-1)

    def forward(self, plot: Tensor) -> Tensor:
        return self.last(self.out(torch.relu(self.words(plot))))


def _train(setting: Setting) -> None:
    plots = torch.randint(0, 60, (1500, 10))
    genres = torch.zeros(1500, 8)
    for word in range(8):
        genres[:, word] = ((plots == word) | (plots == word + 8) | (plots == word + 16)).any(dim=1).float()
    model = _Genres(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    criterion = nn.BCELoss()
    with setting.watch(model):
        for _ in range(10):
            for chosen in torch.randperm(1400).split(40):
                loss = criterion(model(plots[chosen]), genres[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        right = (model(plots[1400:]) > 0.5) == genres[1400:].bool()
    print("loss", loss.item(), "right", right.float().mean().item(), "always no", 1 - genres.mean().item())


PROGRAM = Program(
    name="genres-behind-a-softmax",
    train=_train,
    source="Schoop et al. 2021, UMLAUT: wrong last activation; StackOverflow, softmax for multi-label classification",
    truth=Truth(
        rules=("softmax-for-several-labels", "target-out-of-range", "loss-does-not-fall"),
        nodes=("model.last", "model.out", "model: output"),
    ),
)
