"""A net of skorch with the callback trains as without it."""

from __future__ import annotations

import warnings
from math import floor
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from support.hosts.runs import (
    assert_ended,
    assert_gradients,
    curve,
    equal_weights,
    evaluations_after,
    gradient_norms,
    needs,
    norms_of,
    recording_in,
    run_script,
    steps_of,
)

needs("skorch")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import numpy as np
    from sklearn.base import clone
    from skorch import NeuralNetRegressor
    from skorch.callbacks import Callback, GradientNormClipping

    from comgra_export.integrations.skorch import ComgraCallback

pytestmark = pytest.mark.filterwarnings("ignore")


class Gradients(Callback):  # type: ignore[misc]
    """The gradients of each step as the optimizer gets them."""

    def __init__(self) -> None:
        self.norms: list[dict[str, float]] = []

    def on_grad_computed(self, net: Any, named_parameters: Any, training: bool = False, **_: Any) -> None:  # noqa: ANN401
        if training:
            self.norms.append(norms_of(named_parameters))


class Interrupting(Callback):  # type: ignore[misc]
    is_active = True

    def on_batch_begin(self, net: Any, training: bool = False, **_: Any) -> None:  # noqa: ANN401
        if self.is_active and training and len(net.history[-1]["batches"]) == 4:
            raise KeyboardInterrupt


def fit(*callbacks: Any, epochs: int = 2, kind: Any = NeuralNetRegressor, **arguments: Any) -> Any:  # noqa: ANN401
    torch.manual_seed(0)
    x = np.random.default_rng(0).random((40, 3), dtype=np.float32)
    net = kind(
        nn.Linear,
        module__in_features=3,
        module__out_features=1,
        batch_size=4,
        max_epochs=epochs,
        verbose=0,
        callbacks=[("clip", GradientNormClipping(0.1)), *(("callback" + str(at), callback) for at, callback in enumerate(callbacks))],
        **arguments,
    )
    return net.fit(x, x.sum(1, keepdims=True))


def test_steps_and_curves(tmp_path: Path) -> None:
    gradients, callback = Gradients(), ComgraCallback(tmp_path, every_n_steps=1, arguments={"strict": True})
    net = fit(gradients, callback)
    assert equal_weights(net.module_, fit().module_)
    recording = recording_in(tmp_path)
    steps = 2 * 8
    assert steps_of(recording) == {"train": list(range(steps)), "validate": [*evaluations_after(7, 2), *evaluations_after(15, 2)]}
    assert len(gradients.norms) == steps
    for step in (0, 7, 15):
        assert_gradients(gradient_norms(recording, step), gradients.norms[step])
    batches = [batch["train_loss"] for row in net.history for batch in row["batches"] if "train_loss" in batch]
    assert curve(recording, "train_loss") == {step: pytest.approx(loss) for step, loss in enumerate(batches)}
    losses = [row["valid_loss"] for row in net.history]
    assert curve(recording, "valid_loss", "validate") == {7: pytest.approx(losses[0]), 15: pytest.approx(losses[1])}
    assert callback.bundle_ == tmp_path / "comgra.html"


def test_accelerate_within_skorch(tmp_path: Path) -> None:
    needs("accelerate")
    from accelerate import Accelerator
    from skorch.hf import AccelerateMixin

    class Net(AccelerateMixin, NeuralNetRegressor):  # type: ignore[misc]
        pass

    accelerator = Accelerator(cpu=True, mixed_precision="bf16", gradient_accumulation_steps=2)
    gradients, callback = Gradients(), ComgraCallback(tmp_path, every_n_steps=1, arguments={"strict": True})
    net = fit(gradients, callback, kind=Net, accelerator=accelerator)
    assert equal_weights(net.module_, fit(kind=Net, accelerator=accelerator).module_)
    recording = recording_in(tmp_path)
    # An epoch has eight batches, and every second one ends a step.
    assert steps_of(recording) == {"train": list(range(8)), "validate": [*evaluations_after(3, 2), *evaluations_after(7, 2)]}
    for step in range(8):
        assert len(recording.step(step).calls) == 2
        assert_gradients(gradient_norms(recording, step), gradients.norms[2 * step + 1])
    # Both batches of a step have a point there.
    assert [floor(t) for t in curve(recording, "train_loss")] == [step for step in range(8) for _ in range(2)]
    assert set(curve(recording, "valid_loss", "validate")) == {3, 7}


def test_ctrl_c_leaves_a_page_and_more_training_goes_on(tmp_path: Path) -> None:
    callback = ComgraCallback(tmp_path, every_n_steps=1)
    interrupting = Interrupting()
    net = fit(callback, interrupting, epochs=1)
    assert steps_of(recording_in(tmp_path)) == {"train": [0, 1, 2]}
    assert callback.bundle_ is not None
    interrupting.is_active = False
    x = np.ones((40, 3), np.float32)
    net.partial_fit(x, x[:, :1])
    assert len(steps_of(recording_in(tmp_path))["train"]) > 3


ENDING = """
    import sys
    import numpy as np
    from skorch import NeuralNetRegressor
    from skorch.callbacks import Callback
    from torch import nn
    from comgra_export.integrations.skorch import ComgraCallback

    class Ends(Callback):
        def on_batch_begin(self, net, training=False, **_):
            if training and len(net.history[-1]["batches"]) == 4:
                raise RuntimeError("stop")

    x = np.random.default_rng(0).random((40, 3), dtype=np.float32)
    callbacks = [("comgra", ComgraCallback(sys.argv[1], every_n_steps=1)), ("ends", Ends())]
    NeuralNetRegressor(nn.Linear, module__in_features=3, module__out_features=1, batch_size=4, callbacks=callbacks).fit(x, x[:, :1])
"""


def test_the_page_is_written_when_an_exception_ends_the_training(tmp_path: Path) -> None:
    assert_ended(run_script(ENDING, tmp_path, tmp_path / "comgra"), "exception", tmp_path / "comgra", steps=3)


def test_it_can_be_cloned_as_scikit_learn_does(tmp_path: Path) -> None:
    callback = ComgraCallback(tmp_path, every_n_steps=7)
    copied = clone(NeuralNetRegressor(nn.Linear, callbacks=[("comgra", callback)])).callbacks[0][1]
    assert copied is not callback
    assert (copied.dirpath, copied.every_n_steps) == (tmp_path, 7)
