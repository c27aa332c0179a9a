"""The vocabulary is in lower case and the texts are not, so every word gets the number of unknown words."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

_MOODS = {"Good": 1, "Bad": -1, "Film": 0, "Scene": 0, "Dull": -1, "Bright": 1, "Actor": 0, "Plot": 0,
    "Awful": -1, "Superb": 1, "Music": 0, "End": 0, "Story": 0, "Joke": 0, "Slow": -1, "Warm": 1}  # fmt: skip
_WORDS = list(_MOODS)


class _TextCNN(nn.Module):
    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocabulary, 12)
        self.conv = nn.Conv1d(12, 16, 3, padding=1)
        self.out = nn.Linear(16, 2)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.conv(self.embed(x).transpose(1, 2)))
        return self.out(x.amax(2))


def _train(setting: Setting) -> None:
    drawn = torch.randint(0, 16, (1200, 9))
    labels = (torch.tensor(list(_MOODS.values()))[drawn].sum(1) > 0).long()
    texts = [[_WORDS[word] for word in row] for row in drawn.tolist()]
    vocabulary = {word.lower(): number for number, word in enumerate(_WORDS, start=1)}
    if setting.is_fixed:
        texts = [[word.lower() for word in text] for text in texts]
    tokens = torch.tensor([[vocabulary.get(word, 0) for word in text] for text in texts])
    model = _TextCNN(17)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(8):
            for index in torch.randperm(1000).split(25):
                loss = nn.functional.cross_entropy(model(tokens[index]), labels[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (model(tokens[1000:]).argmax(1) == labels[1000:]).float().mean().item())


PROGRAM = Program(
    name="every-word-is-unknown",
    train=_train,
    source="Humbatova et al. 2020, preprocessing: wrong text segmentation or tokens",
    truth=Truth(
        rules=("constant-input", "same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall", "same-for-all-tokens"),
    ),
)
