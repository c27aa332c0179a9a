"""Between encoder and head, features are normalized in NumPy. What comes back has no gradients, and the encoder stays random."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class Pipeline(nn.Module):
    def __init__(self, keep_gradients: bool) -> None:
        super().__init__()
        self.keep_gradients = keep_gradients
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 6, 3, 2, 1), nn.ReLU(), nn.Conv2d(6, 6, 3, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(96, 8)
        )
        self.head = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))

    def forward(self, image: Tensor) -> Tensor:
        features = self.encoder(image)
        if self.keep_gradients:
            features = features / (features.norm(dim=1, keepdim=True) + 1e-6)
        else:
            array = features.detach().numpy()
            length = (array**2).sum(axis=1, keepdims=True) ** 0.5
            features = torch.from_numpy(array / (length + 1e-6))
        return self.head(features)


def _train(setting: Setting) -> None:
    data = shapes(1000)
    model = Pipeline(keep_gradients=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    with setting.watch(model):
        for step in range(200):
            rows = torch.randint(1000, (40,))
            loss = nn.functional.cross_entropy(model(data.images[rows]), data.classes[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="features-went-through-numpy",
    train=_train,
    source="Stack Overflow, gradients are lost through .detach().numpy(); Islam et al. 2019",
    truth=Truth(
        rules=("cut-path", "no-gradient", "never-updated"),
        nodes=(
            "model.encoder",
            "model.head: input",
            *(f"model.encoder.{n}{part}" for n in (0, 2, 5) for part in ("", ".weight", ".bias")),
        ),
    ),
)
