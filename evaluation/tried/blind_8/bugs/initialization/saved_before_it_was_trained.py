"""The checkpoint of the encoder was written before its training. It is loaded, frozen, and read as if it had learned something."""

from __future__ import annotations

import io

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


def encoder() -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(1, 4, 5, stride=3), nn.ReLU(), nn.Flatten(), nn.Linear(36, 8), nn.ReLU())


def pretrain(net: nn.Sequential, images: Tensor, labels: Tensor) -> None:
    """Learns to tell the digits apart."""
    head = nn.Linear(8, 6)
    optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=5e-3)
    for x, y in batches(400, 40, images, labels):
        loss = nn.functional.cross_entropy(head(net(x)), y)
        optimizer.zero_grad()
        torch.autograd.backward([loss])
        optimizer.step()


def _train(setting: Setting) -> None:
    images, labels = digits(1500)
    written = io.BytesIO()
    teacher = encoder()
    if not setting.is_fixed:
        torch.save(teacher.state_dict(), written)
        pretrain(teacher, images, labels)
    else:
        pretrain(teacher, images, labels)
        torch.save(teacher.state_dict(), written)
    written.seek(0)
    model = nn.Sequential(encoder(), nn.Linear(8, 6))
    model[0].load_state_dict(torch.load(written))
    model[0].requires_grad_(False)
    optimizer = torch.optim.Adam(model[1].parameters(), lr=1e-2)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(200, 40, images, labels)):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="saved-before-it-was-trained",
    train=_train,
    source="PyTorch forum, a loaded model performs like a random one",
    truth=Truth(
        rules=("frozen-as-initialized", "predictions-ignore-input", "loss-does-not-fall"),
        nodes=("model.0", *(f"model.0.{i}{part}" for i in (0, 3) for part in ("", ".weight", ".bias"))),
    ),
)
