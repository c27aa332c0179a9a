"""Comments of different lengths are packed for a bidirectional GRU, and sorted into three kinds."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from evaluation.program import Program, Setting
from evaluation.worlds import padded


class GruClassifier(nn.Module):
    def __init__(self, vocab: int, emb: int, hidden: int, classes: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb, padding_idx=0)
        self.gru = nn.GRU(emb, hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(0.2)
        self.fc = nn.Linear(2 * hidden, classes)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        packed = pack_padded_sequence(self.embedding(tokens), lengths, batch_first=True, enforce_sorted=False)
        _, hidden = self.gru(packed)
        return self.fc(self.dropout(torch.cat([hidden[0], hidden[1]], dim=1)))


def _train(setting: Setting) -> None:
    data = padded(1500)
    model = GruClassifier(13, 16, 24, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            for rows in torch.randperm(1200).split(40):
                logits = model(data.tokens[rows], data.lengths[rows])
                loss = nn.functional.cross_entropy(logits, data.labels[rows])
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
            model.eval()
            with torch.no_grad():
                guess = model(data.tokens[1200:], data.lengths[1200:]).argmax(dim=1)
            print(f"epoch {epoch}: {loss.item():.4f}, held out {(guess == data.labels[1200:]).float().mean().item():.3f}")


PROGRAM = Program(name="comments-of-any-length", train=_train, source="PyTorch tutorials, packed sequences")
