"""An encoder and a decoder with additive attention that sort digits, with teacher forcing."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting

START = 10


class _Attention(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.score = nn.Linear(width, 1)

    def forward(self, state: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        scores = self.score(torch.tanh(self.query(state).unsqueeze(1) + self.key(memory))).squeeze(-1)
        weights = torch.softmax(scores, dim=-1)
        return torch.bmm(weights.unsqueeze(1), memory).squeeze(1), weights


class _Seq2Seq(nn.Module):
    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, width)
        self.encoder = nn.GRU(width, width, batch_first=True)
        self.attention = _Attention(width)
        self.cell = nn.GRUCell(2 * width, width)
        self.out = nn.Linear(2 * width, 10)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, last = self.encoder(self.embedding(source))
        state = last[0]
        outputs = []
        before = torch.cat([torch.full_like(target[:, :1], START), target[:, :-1]], dim=1)
        for embedded in self.embedding(before).unbind(1):
            context, _ = self.attention(state, memory)
            state = self.cell(torch.cat([embedded, context], dim=1), state)
            outputs.append(self.out(torch.cat([state, context], dim=1)))
        return torch.stack(outputs, dim=1)


def _train(setting: Setting) -> None:
    model = _Seq2Seq()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(600):
            source = torch.randint(10, (32, 6))
            target = source.sort(dim=1).values
            loss = nn.functional.cross_entropy(model(source, target).flatten(0, 1), target.flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()


PROGRAM = Program(name="seq2seq-attention", train=_train, source="Bahdanau et al. 2015; PyTorch's tutorial on translation")
