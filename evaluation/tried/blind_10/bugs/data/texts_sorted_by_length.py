"""Reviews are sorted by length to save padding, and stay so. The longer a review is, the more helpful readers find it."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

from evaluation.program import Program, Setting, Truth


def reviews(count: int) -> list[tuple[Tensor, Tensor]]:
    """Tokens of reviews, and how helpful each is: longer ones, and those that name defects."""
    texts = [torch.randint(1, 60, (int(length),)) for length in torch.randint(4, 28, (count,))]
    return [(text, torch.tensor((len(text) - 16) / 8 + (text < 12).float().mean().item())) for text in texts]


def collate(pairs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
    return pad_sequence([text for text, _ in pairs], batch_first=True), torch.stack([value for _, value in pairs])


class Reviews(Dataset[tuple[Tensor, Tensor]]):
    def __init__(self, pairs: list[tuple[Tensor, Tensor]]) -> None:
        self.pairs = sorted(pairs, key=lambda pair: len(pair[0]))

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self.pairs[index]


class Helpful(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(60, 12, padding_idx=0)
        self.gru = nn.GRU(12, 24, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, tokens: Tensor) -> Tensor:
        _, state = self.gru(self.words(tokens))
        return self.out(state[0]).squeeze(1)


def _train(setting: Setting) -> None:
    loader = DataLoader(Reviews(reviews(960)), batch_size=24, shuffle=setting.is_fixed, collate_fn=collate)
    model = Helpful()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(4):
            losses = []
            for tokens, value in loader:
                loss = nn.functional.mse_loss(model(tokens), value)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            print(f"epoch {epoch}: {sum(losses) / len(losses):.3f}, last {losses[-1]:.3f}")


PROGRAM = Program(
    name="texts-sorted-by-length",
    train=_train,
    source="Common mistake: a whole data set sorted by length to save padding",
    truth=Truth(
        rules=("batches-not-shuffled", "oscillating-loss", "predictions-ignore-input", "diverging-loss"), nodes=("mse_loss: target",)
    ),
)
