"""Posts are bags of a few among 3000 tags. The table has sparse gradients, and an optimizer of its own that expects them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting

TAGS = 3000


class Posts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.EmbeddingBag(TAGS, 12, mode="mean", sparse=True)
        self.score = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, tags: Tensor, offsets: Tensor) -> Tensor:
        return self.score(self.table(tags, offsets)).squeeze(1)


def posts(count: int, liked: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    lengths = torch.randint(3, 9, (count,))
    frequent = torch.randint(60, (int(lengths.sum()),))
    tags = torch.where(torch.rand(len(frequent)) < 0.8, frequent, torch.randint(TAGS, frequent.shape))
    post = torch.repeat_interleave(torch.arange(count), lengths)
    popular = torch.zeros(count).index_add(0, post, liked[tags]) > 0
    return tags, lengths.cumsum(0) - lengths, popular.float()


def _train(setting: Setting) -> None:
    liked = torch.randn(TAGS)
    model = Posts()
    sparse = torch.optim.SparseAdam(list(model.table.parameters()), lr=2e-2)
    dense = torch.optim.Adam(model.score.parameters(), lr=5e-3)
    with setting.watch(model):
        for step in range(220):
            tags, offsets, popular = posts(64, liked)
            loss = nn.functional.binary_cross_entropy_with_logits(model(tags, offsets), popular)
            sparse.zero_grad()
            dense.zero_grad()
            loss.backward()
            sparse.step()
            dense.step()
            if step % 44 == 43:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(name="tags-with-sparse-gradients", train=_train, source="PyTorch documentation, EmbeddingBag and SparseAdam")
