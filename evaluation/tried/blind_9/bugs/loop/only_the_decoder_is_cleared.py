"""Encoder and decoder have an optimizer each, and only the gradients of the decoder are cleared."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class AutoEncoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 6))
        self.decoder = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 256))

    def forward(self, picture: Tensor) -> Tensor:
        return self.decoder(self.encoder(picture))


def _train(setting: Setting) -> None:
    masks = shapes(1000).masks.flatten(1)
    model = AutoEncoder()
    encoder_optimizer = torch.optim.SGD(model.encoder.parameters(), lr=0.4, momentum=0.9)
    decoder_optimizer = torch.optim.SGD(model.decoder.parameters(), lr=0.4, momentum=0.9)
    to_clear = [decoder_optimizer, encoder_optimizer] if setting.is_fixed else [decoder_optimizer]
    with setting.watch(model):
        for step in range(200):
            batch = masks[torch.randint(1000, (40,))]
            for optimizer in to_clear:
                optimizer.zero_grad()
            loss = nn.functional.binary_cross_entropy_with_logits(model(batch), batch)
            loss.backward()
            encoder_optimizer.step()
            decoder_optimizer.step()
            if step % 40 == 39:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(
    name="only-the-decoder-is-cleared",
    train=_train,
    source="Humbatova et al. 2020, missing clearing of gradients; Stack Overflow, zero_grad with several optimizers",
    truth=Truth(
        rules=("gradients-left-over",),
        nodes=("model.encoder", *(f"model.encoder.{n}{part}" for n in (0, 2) for part in ("", ".weight", ".bias"))),
    ),
)
