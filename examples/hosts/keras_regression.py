"""Train with Keras on PyTorch, record it, and write comgra/comgra.html."""

import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np

from comgra_export.integrations.keras import ComgraCallback

x = np.random.default_rng(0).random((200, 2), dtype=np.float32)
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")
model.fit(x, x.prod(axis=1, keepdims=True), epochs=3, batch_size=20, validation_split=0.2, callbacks=[ComgraCallback("comgra")])
