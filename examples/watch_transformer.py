"""Watch a small transformer learn, in a loop that does not mention recording, and write report.html.

The task: does the first digit of a sequence come up again in it? To answer, one position has to attend to the others.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

import comgra_export

LENGTH = 12
WIDTH = 32
STEPS = 200


class Block(nn.Module):
    """Attention and a perceptron, each with a residual connection around it."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.attention = nn.MultiheadAttention(WIDTH, num_heads=4, batch_first=True)
        self.perceptron = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        normed = self.norm(x)
        attended, _ = self.attention(normed, normed, normed, average_attn_weights=False)
        x = x + attended
        result: Tensor = x + self.perceptron(x)
        return result


class Transformer(nn.Module):
    """Maps digits `[B, LENGTH]` to one logit per sequence, `[B]`."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(10, WIDTH)
        self.position = nn.Parameter(torch.randn(LENGTH, WIDTH) / 10)
        self.blocks = nn.Sequential(Block(), Block())
        self.head = nn.Linear(WIDTH, 1)

    def forward(self, digits: Tensor) -> Tensor:
        x = self.blocks(self.embedding(digits) + self.position)
        logits: Tensor = self.head(x[:, 0]).squeeze(-1)
        return logits


def draw(count: int) -> tuple[Tensor, Tensor]:
    """Return sequences of digits `[B, LENGTH]`, and for each 1 if its first digit comes up again, else 0, `[B]`."""
    digits = torch.randint(10, (count, LENGTH))
    repeats = torch.rand(count) < 0.5
    # If the first digit must not come up again, replace its repetitions by the next digit.
    others = torch.where((digits[:, 1:] == digits[:, :1]) & ~repeats[:, None], (digits[:, 1:] + 1) % 10, digits[:, 1:])
    others[:, -1] = torch.where(repeats, digits[:, 0], others[:, -1])
    digits = torch.cat([digits[:, :1], others[:, torch.randperm(LENGTH - 1)]], dim=1)
    return digits, repeats.float()


def main() -> None:
    torch.manual_seed(0)
    model = Transformer()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with comgra_export.watch(model, "recordings", every=10, existing_trial="replace") as recorder:
        for step in range(STEPS):
            digits, target = draw(64)
            optimizer.zero_grad()
            loss = nn.functional.binary_cross_entropy_with_logits(model(digits), target)
            loss.backward()
            optimizer.step()
            if step % 25 == 24:
                digits, target = draw(256)
                model.eval()
                with torch.no_grad():
                    accuracy = ((model(digits) > 0) == (target > 0)).float().mean()
                model.train()
                recorder.record_kpi_in_graph("accuracy", "evaluation", accuracy, record_even_if_recording_is_inactive=True)
    comgra_export.export("recordings", "report.html", title="Does the first digit come up again?", force=True)


if __name__ == "__main__":
    main()
