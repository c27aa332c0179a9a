"""The state of the last piece is carried into the next one with its graph. The second backward pass fails."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import WORDS, words


class LanguageModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(WORDS), 16)
        self.lstm = nn.LSTM(16, 32, batch_first=True)
        self.decoder = nn.Linear(32, len(WORDS))

    def forward(self, tokens: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        output, state = self.lstm(self.embedding(tokens), state)
        return self.decoder(output), state


def _train(setting: Setting) -> None:
    text = words(16 * 1500)
    text = text[: len(text) // 16 * 16].view(16, -1)
    model = LanguageModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    state = (torch.zeros(1, 16, 32), torch.zeros(1, 16, 32))
    try:
        with setting.watch(model):
            for step in range(100):
                piece = text[:, step * 12 : step * 12 + 13]
                if setting.is_fixed:
                    state = (state[0].detach(), state[1].detach())
                scores, state = model(piece[:, :-1], state)
                loss = nn.functional.cross_entropy(scores.flatten(0, 1), piece[:, 1:].flatten())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if step % 25 == 24:
                    print(f"{step}: {loss.item():.3f}")
    except RuntimeError as error:
        print(f"It stopped: {error}")


PROGRAM = Program(
    name="state-keeps-its-graph",
    train=_train,
    source="PyTorch forum, 'Trying to backward through the graph a second time'",
    truth=Truth(rules=("exception-in-step",), step=1),
)
