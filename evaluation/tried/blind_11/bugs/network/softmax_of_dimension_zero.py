"""Weights of attention are `softmax(scores, dim=0)` of `[batch, time]`: samples share them out, not moments."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import commands


class AttentiveClassifier(nn.Module):
    def __init__(self, vocab: int, dim: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, 32)
        self.rnn = nn.GRU(32, 32, batch_first=True)
        self.attn = nn.Linear(32, 1)
        self.classify = nn.Linear(32, 3)
        self.dim = dim

    def forward(self, tokens: Tensor) -> Tensor:
        states, _ = self.rnn(self.embed(tokens))
        scores = torch.tanh(self.attn(states)).squeeze(2)
        weights = torch.softmax(3 * scores, dim=self.dim)
        context = (weights.unsqueeze(2) * states).sum(dim=1)
        return self.classify(context)


def _train(setting: Setting) -> None:
    tokens, intents = commands(1500)
    model = AttentiveClassifier(30, dim=1 if setting.is_fixed else 0)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(5):
            loss_sum, hits = 0.0, 0
            for batch in torch.randperm(1500).split(50):
                logits = model(tokens[batch])
                loss = criterion(logits, intents[batch])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                loss_sum += loss.item() / 30
                hits += int((logits.argmax(dim=1) == intents[batch]).sum())
            print(f"epoch {epoch}: loss {loss_sum:.3f}, accuracy {hits / 1500:.3f}")


PROGRAM = Program(
    name="softmax-of-dimension-zero",
    train=_train,
    source="PyTorch forum, softmax with dim=0 (or the implicit dimension) on [batch, time]",
    truth=Truth(rules=("softmax-over-batch",), nodes=("model", "model.classify: input", "model.attn: output")),
)
