"""A run whose samples differ: a quarter of them are hard, and one of each step has an extreme value and a sparse tensor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from comgra_export.storage import RecordedSamples, TensorReference
from support.analysis.runs import Given, RunByHand, loss_call

__all__ = ["BATCH", "STEPS", "RecordedSamplesRun", "record_samples"]

BATCH, STEPS = 16, 24


def _tensors(*, values: bool, far: bool) -> list[Given]:
    """The tensors of a step. `far`: another tensor lies between attention and hidden."""
    between = [Given("between", parents=("attention",))] if far else []
    return [
        Given("x", "input", values=True),
        Given("attention", parents=("x",), values=True),
        *between,
        Given("hidden", parents=("between" if far else "attention",), values=True),
        Given("out", parents=("hidden",)),
        Given("p", parents=("out",), values=values),
        Given("target", "target", values=values),
        Given("loss", "loss", parents=("p", "target")),
    ]


class RecordedSamplesRun:
    """A run with 16 new samples in each of 24 steps: a quarter of them are `hard`, whose loss is larger."""

    def __init__(
        self, folder: Path, *, same: bool = False, values: bool = True, far: bool = True, steps: int = STEPS, batch: int = BATCH
    ) -> None:
        generator = np.random.default_rng(3)
        self.written = RunByHand(folder, _tensors(values=values, far=far))
        self.hard: list[NDArray[np.bool_]] = []
        self.losses: list[NDArray[np.float64]] = []
        for step in range(steps):
            hard = np.arange(batch) % 4 == 0
            # All values shrink over training, so pooled samples would correlate.
            scale = 2.0 ** (-step / 4)
            x = generator.normal(size=(batch, 12)) * scale
            attention = generator.normal(size=(batch, 12)) * scale
            extreme = np.argmax(np.abs(attention).max(axis=1))
            hidden = np.abs(generator.normal(size=(batch, 12))) * scale
            hidden[extreme, 1:] = 0
            error = scale * np.abs(generator.normal(size=(batch, 2))) * np.where(hard, 3.0, 1.0)[:, None]
            target = generator.normal(size=(batch, 2)).astype(np.float32)
            prediction = (target + error).astype(np.float32)
            of_sample = ((prediction.astype(np.float64) - target) ** 2).mean(axis=1)
            self.hard.append(hard)
            self.losses.append(of_sample)
            arrays = {"x": x, "attention": attention, "between": attention, "hidden": hidden, "out": hidden}
            arrays |= {"p": prediction, "target": target, "loss": of_sample.mean()}
            names = tuple(f"{sample if same else step * batch + sample}" for sample in range(batch))
            self.written.step(
                step,
                {given.name: arrays[given.name] for given in self.written.tensors},
                {"p": 0.1},
                losses=(loss_call("mse_loss", "p", reduction="mean"),),
                backward_roots=(TensorReference("loss", 0),),
                samples=RecordedSamples(tuple(range(batch)), names, tuple("hard" if each else "easy" for each in hard)),
            )


def record_samples(folder: Path) -> RunByHand:
    """Writes the run."""
    return RecordedSamplesRun(folder).written
