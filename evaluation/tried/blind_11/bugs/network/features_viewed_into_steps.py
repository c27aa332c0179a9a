"""Features of a CNN, `[batch, channels, width]`, are brought into the order of an RNN by `view` instead of `permute`."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Crnn(nn.Module):
    def __init__(self, n_class: int, reorder: bool) -> None:
        super().__init__()
        self.cnn = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d((2, 1)), nn.Conv2d(16, 16, (6, 3), padding=(0, 1)), nn.ReLU()
        )
        self.rnn = nn.LSTM(16, 32, bidirectional=True)
        self.fc = nn.Linear(64, n_class)
        self.reorder = reorder

    def forward(self, images: Tensor) -> Tensor:
        conv = self.cnn(images).squeeze(2)
        batch, channels, width = conv.shape
        # [width, batch, channels]
        steps = conv.permute(2, 0, 1) if self.reorder else conv.view(width, batch, channels)
        states, _ = self.rnn(steps)
        return self.fc(states.mean(dim=0))


def _train(setting: Setting) -> None:
    images, labels = digits(1200)
    model = Crnn(6, reorder=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(6):
            running, right = 0.0, 0
            for idx in torch.randperm(1200).split(40):
                preds = model(images[idx])
                cost = nn.functional.cross_entropy(preds, labels[idx])
                optimizer.zero_grad()
                cost.backward()
                optimizer.step()
                running += cost.item() / 30
                right += int((preds.argmax(1) == labels[idx]).sum())
            print(f"epoch {epoch}: loss {running:.3f}, accuracy {right / 1200:.3f}")


PROGRAM = Program(
    name="features-viewed-into-steps",
    train=_train,
    source="PyTorch forum, 'LSTM change batch_first=True, loss does not decrease' (CRNN), "
    "https://discuss.pytorch.org/t/lstm-change-batch-first-true-loss-does-not-decrease/62364, and threads on view instead of permute",
    truth=Truth(rules=("batch-as-sequence", "loss-does-not-fall"), nodes=("model.rnn: input", "model.rnn", "model.rnn: output[0]")),
)
