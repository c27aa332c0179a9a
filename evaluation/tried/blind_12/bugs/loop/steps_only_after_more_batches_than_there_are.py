"""Gradients are to be accumulated over more batches than an epoch has, and the count begins anew in each epoch: no update is ever made."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import phrases
from evaluation.program import Program, Setting, Truth


class Tagger(nn.Module):
    def __init__(self, vocabulary: int, hidden: int = 32) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, 24)
        self.gru = nn.GRU(24, hidden, batch_first=True)
        self.decoder = nn.Linear(hidden, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.decoder(self.gru(self.embedding(tokens))[0])


def _train(setting: Setting) -> None:
    corpus = phrases(640)
    model = Tagger(24)
    gradient_accumulation_steps = 2 if setting.is_fixed else 32
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    with setting.watch(model):
        for epoch in range(8):
            for step, rows in enumerate(torch.randperm(640).split(32)):
                logits = model(corpus[rows, :-1])
                loss = nn.functional.cross_entropy(logits.flatten(0, 1), corpus[rows, 1:].flatten()) / gradient_accumulation_steps
                loss.backward()
                if (step + 1) % gradient_accumulation_steps == 0:
                    optimizer.step()
                    optimizer.zero_grad()
            print(f"epoch {epoch}: {loss.item() * gradient_accumulation_steps:.4f}")


PROGRAM = Program(
    name="steps-only-after-more-batches-than-there-are",
    train=_train,
    source="https://github.com/huggingface/transformers/issues/2995",
    truth=Truth(rules=("optimizer-never-steps", "never-updated", "loss-does-not-fall", "gradients-left-over")),
)
