"""A bidirectional LSTM tags the words of packed sentences; the padding is ignored by the loss."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import WORDS, words

TAGS = [0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4]


class _Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(WORDS) + 1, 16)
        self.lstm = nn.LSTM(16, 24, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(48, 5)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        packed = pack_padded_sequence(self.embedding(tokens), lengths, batch_first=True, enforce_sorted=False)
        out, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=tokens.shape[1])
        return self.fc(out)


def _train(setting: Setting) -> None:
    text = words(7 * 1000).view(-1, 7)
    tags = torch.tensor(TAGS)[text]
    unknown = len(WORDS)
    model = _Tagger()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss(ignore_index=-100)
    with setting.watch(model):
        for _ in range(15):
            for index in torch.randperm(1000).split(25):
                lengths = torch.randint(3, 8, (len(index),))
                is_padding = torch.arange(7) >= lengths[:, None]
                is_hidden = torch.rand(len(index), 7) < 0.3
                tokens = text[index].masked_fill(is_hidden | is_padding, unknown)
                wanted = tags[index].masked_fill(is_padding, -100)
                loss = criterion(model(tokens, lengths).reshape(-1, 5), wanted.reshape(-1))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="tagging", train=_train, source="PyTorch's tutorial on part-of-speech tagging")
