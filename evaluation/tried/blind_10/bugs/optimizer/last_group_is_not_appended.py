"""Parameters are sorted into groups by a loop that appends a group when the next begins. The last one, the output, is never appended."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import padded


class Sorter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(13, 16, padding_idx=0)
        self.conv = nn.Conv1d(16, 32, 3)
        self.fc = nn.Linear(32, 24)
        self.out = nn.Linear(24, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        x = torch.relu(self.conv(self.embed(tokens).transpose(1, 2)))
        return self.out(torch.relu(self.fc(x[:, :, 0])))


def groups(model: nn.Module, append_last: bool) -> list[dict[str, object]]:
    """A group for each layer, with learning rates that rise towards the output."""
    result: list[dict[str, object]] = []
    current: list[nn.Parameter] = []
    layer, rate = "embed", 2e-3
    for name, parameter in model.named_parameters():
        if name.split(".")[0] != layer:
            result.append({"params": current, "lr": rate})
            layer, rate, current = name.split(".")[0], rate * 1.3, []
        current.append(parameter)
    if append_last:
        result.append({"params": current, "lr": rate})
    return result


def _train(setting: Setting) -> None:
    data = padded(1500)
    model = Sorter()
    optimizer = torch.optim.Adam(groups(model, append_last=setting.is_fixed))
    with setting.watch(model):
        for step in range(140):
            rows = torch.randint(1500, (40,))
            loss = nn.functional.cross_entropy(model(data.tokens[rows]), data.labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            model.zero_grad()
            if step % 35 == 34:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="last-group-is-not-appended",
    train=_train,
    source="GitHub issues on groups of parameters, the last of which is not appended",
    truth=Truth(rules=("not-in-optimizer", "never-updated"), nodes=("model.out", "model.out.weight", "model.out.bias")),
)
