"""A recurrent network predicts from the products that a visitor has seen which one comes next, with padding left out of the loss."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Sessions(nn.Module):
    def __init__(self, products: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(products + 1, 24, padding_idx=0)
        self.drop = nn.Dropout(0.2)
        self.gru = nn.GRU(24, 48, batch_first=True)
        self.out = nn.Linear(48, products + 1)

    def forward(self, session: Tensor) -> Tensor:
        states, _ = self.gru(self.drop(self.embed(session)))
        return self.out(states)


def sessions(count: int, products: int = 30, length: int = 12) -> Tensor:
    follows = torch.stack([torch.randperm(products)[:3] for _ in range(products)])
    product = torch.randint(products, (count,))
    seen = [product]
    for _ in range(length - 1):
        product = follows[product, torch.multinomial(torch.tensor([0.7, 0.2, 0.1]), count, replacement=True)]
        seen.append(product)
    lengths = torch.randint(3, length + 1, (count,))
    return (torch.stack(seen, dim=1) + 1) * (torch.arange(length) < lengths[:, None])


def _train(setting: Setting) -> None:
    data = sessions(2000)
    model = Sessions(30)
    criterion = nn.CrossEntropyLoss(ignore_index=0)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step in range(160):
            session = data[torch.randint(2000, (40,))]
            scores = model(session[:, :-1])
            loss = criterion(scores.flatten(0, 1), session[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if step % 40 == 39:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="what-is-bought-next", train=_train, source="Hidasi et al. 2016, session-based recommendations with recurrent networks"
)
