"""The hidden state is handed to the next batch with its graph: the second step goes backward through the first again."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import WORDS, words

State = tuple[Tensor, Tensor]


class LanguageModel(nn.Module):
    def __init__(self, vocab: int, hidden: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, 24)
        self.lstm = nn.LSTM(24, hidden, batch_first=True)
        self.linear = nn.Linear(hidden, vocab)

    def forward(self, x: Tensor, h: State) -> tuple[Tensor, State]:
        out, state = self.lstm(self.embed(x), h)
        return self.linear(out), state


def _train(setting: Setting) -> None:
    ids = words(20 * 900)[: 20 * 896].view(20, -1)
    model = LanguageModel(len(WORDS), 48)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    states = (torch.zeros(1, 20, 48), torch.zeros(1, 20, 48))
    try:
        with setting.watch(model):
            for i in range(0, 890, 10):
                inputs, targets = ids[:, i : i + 10], ids[:, i + 1 : i + 11]
                if setting.is_fixed:
                    states = (states[0].detach(), states[1].detach())
                outputs, states = model(inputs, states)
                loss = nn.functional.cross_entropy(outputs.flatten(0, 1), targets.flatten())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if i % 150 == 0:
                    print(f"step {i // 10}: loss {loss.item():.4f}, perplexity {loss.exp().item():.2f}")
    except RuntimeError as error:
        print(error)


PROGRAM = Program(
    name="backward-through-the-batch-before",
    train=_train,
    source="PyTorch forum and Stack Overflow, 'Trying to backward through the graph a second time' with the hidden state of an LSTM",
    truth=Truth(rules=("exception-in-step",), nodes=("model", "model.lstm", "cross_entropy"), step=1),
)
