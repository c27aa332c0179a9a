"""An LSTM language model of words whose output layer shares the embedding, trained over long text with its state kept."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import WORDS, words

State = tuple[Tensor, Tensor]


class WordModel(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(len(WORDS), width)
        nn.init.uniform_(self.embed.weight, -0.1, 0.1)
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.dropout = nn.Dropout(0.1)
        self.out = nn.Linear(width, len(WORDS))
        self.out.weight = self.embed.weight

    def forward(self, tokens: Tensor, state: State | None) -> tuple[Tensor, State]:
        states, state = self.lstm(self.dropout(self.embed(tokens)), state)
        return self.out(self.dropout(states)), state


def _train(setting: Setting) -> None:
    rows = words(8 * 2401)[: 8 * 2401].view(8, 2401)
    model = WordModel(32)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    state: State | None = None
    with setting.watch(model):
        for step in range(160):
            part = rows[:, step * 15 : step * 15 + 16]
            if state is not None:
                state = (state[0].detach(), state[1].detach())
            logits, state = model(part[:, :-1], state)
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), part[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            if step % 40 == 0:
                print(f"{step}: perplexity {loss.exp().item():.2f}")


PROGRAM = Program(
    name="tied-word-model", train=_train, source="Press and Wolf 2017, truncated backpropagation as in PyTorch's word_language_model"
)
