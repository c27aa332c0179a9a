"""Train with skorch, record it, and write comgra/comgra.html."""

import numpy as np
from skorch import NeuralNetRegressor
from torch import nn

from comgra_export.integrations.skorch import ComgraCallback


class Network(nn.Sequential):
    def __init__(self) -> None:
        super().__init__(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))


x = np.random.default_rng(0).random((200, 2), dtype=np.float32)
net = NeuralNetRegressor(Network, max_epochs=3, batch_size=20, lr=0.1, callbacks=[("comgra", ComgraCallback("comgra"))])
net.fit(x, x.prod(axis=1, keepdims=True))
