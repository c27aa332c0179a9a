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


def fit(*callbacks: Any, epochs: int = 3, kind: Any = NeuralNetRegressor, **arguments: Any) -> Any:  # noqa: ANN401
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
    steps = 3 * 8
    evaluations = [*evaluations_after(7, 2), *evaluations_after(15, 2), *evaluations_after(23, 2)]
    assert steps_of(recording) == {"train": list(range(steps)), "validate": evaluations}
    assert len(gradients.norms) == steps
    for step in range(steps):
        assert_gradients(gradient_norms(recording, step), gradients.norms[step])
    batches = [batch["train_loss"] for row in net.history for batch in row["batches"] if "train_loss" in batch]
    assert curve(recording, "train_loss") == {step: pytest.approx(loss) for step, loss in enumerate(batches)}
    losses = [pytest.approx(row["valid_loss"]) for row in net.history]
    assert curve(recording, "valid_loss", "validate") == dict(zip((7, 15, 23), losses, strict=True))
    assert callback.bundle_ == tmp_path / "comgra.html"


def test_accelerate_within_skorch(tmp_path: Path) -> None:
    needs("accelerate")
    from accelerate import Accelerator
    from skorch.hf import AccelerateMixin

    class Net(AccelerateMixin, NeuralNetRegressor):  # type: ignore[misc]
        pass

    accelerator = Accelerator(cpu=True, mixed_precision="bf16", gradient_accumulation_steps=2)
    gradients, callback = Gradients(), ComgraCallback(tmp_path, every_n_steps=1, arguments={"strict": True})
    net = fit(gradients, callback, kind=Net, accelerator=accelerator, epochs=5)
    assert equal_weights(net.module_, fit(kind=Net, accelerator=accelerator, epochs=5).module_)
    recording = recording_in(tmp_path)
    # An epoch has eight batches, and every second one ends a step.
    ends = [3, 7, 11, 15, 19]
    assert steps_of(recording) == {"train": list(range(20)), "validate": [each for end in ends for each in evaluations_after(end, 2)]}
    for step in range(20):
        assert len(recording.step(step).calls) == 2
        assert_gradients(gradient_norms(recording, step), gradients.norms[2 * step + 1])
    # Both batches of a step have a point there.
    assert [floor(t) for t in curve(recording, "train_loss")] == [step for step in range(20) for _ in range(2)]
    assert set(curve(recording, "valid_loss", "validate")) == set(ends)


IN_TWO_PROCESSES = """
    import sys
    import numpy as np, torch
    from accelerate import Accelerator
    from skorch import NeuralNetRegressor
    from skorch.callbacks import Callback
    from skorch.hf import AccelerateMixin
    from torch import nn
    from comgra_export.integrations.skorch import ComgraCallback

    class Net(AccelerateMixin, NeuralNetRegressor):
        pass

    class Loss:
        # No module: of those, Accelerate refuses any without parameters if there are several processes on a CPU.
        def __call__(self, prediction, target):
            return nn.functional.mse_loss(prediction, target)

    class Gradients(Callback):
        norms = []
        def on_grad_computed(self, net, named_parameters, training=False, **_):
            self.norms.append([float(p.grad.double().norm()) for _, p in named_parameters])

    accelerator = Accelerator(cpu=True)
    assert accelerator.num_processes == 2

    def fit(*callbacks):
        torch.manual_seed(0)
        x = np.random.default_rng(0).random((40, 3), dtype=np.float32)
        options = {"module__in_features": 3, "module__out_features": 1, "batch_size": 2, "max_epochs": 2, "verbose": 0, "train_split": None}
        net = Net(nn.Linear, criterion=Loss, accelerator=accelerator, callbacks=list(callbacks), **options)
        return net.fit(x, x.sum(1, keepdims=True)).module_.state_dict()

    weights = fit(("gradients", Gradients()), ("comgra", ComgraCallback(sys.argv[1] + "/comgra", every_n_steps=1)))
    norms = list(Gradients.norms)
    torch.save((weights, fit(), norms), f"{sys.argv[1]}/{accelerator.process_index}.pt")
"""


def test_two_processes_of_accelerate(tmp_path: Path) -> None:
    needs("accelerate")
    finished = run_script(IN_TWO_PROCESSES, tmp_path, tmp_path, processes=2)
    assert finished.returncode == 0, finished.stderr
    for rank in range(2):
        weights, plain, norms = torch.load(tmp_path / f"{rank}.pt")
        assert all(torch.equal(weights[name], plain[name]) for name in plain)
        recording = recording_in(tmp_path / "comgra", rank=rank)
        # Each process has half of the batches of an epoch.
        assert (recording.header.world_size, steps_of(recording)) == (2, {"train": list(range(20))})
        for step in range(20):
            # As they are after both processes have shared them.
            assert list(gradient_norms(recording, step).values()) == pytest.approx(norms[step], rel=1e-4)
    assert (tmp_path / "comgra" / "comgra.html").stat().st_size > 100_000
    assert "ComgraRecordingWarning" not in finished.stderr


GRID_SEARCH = """
    import sys
    import numpy as np, torch
    from sklearn.model_selection import GridSearchCV
    from skorch import NeuralNetRegressor
    from torch import nn
    from comgra_export.integrations.skorch import ComgraCallback

    def search(*callbacks):
        torch.manual_seed(0)
        x = np.random.default_rng(0).random((40, 3), dtype=np.float32)
        options = {"module__in_features": 3, "module__out_features": 1, "batch_size": 4, "max_epochs": 2, "verbose": 0, "train_split": None}
        net = NeuralNetRegressor(nn.Linear, callbacks=list(callbacks), **options)
        found = GridSearchCV(net, {"lr": [0.01, 0.1]}, cv=2, n_jobs=2, scoring="neg_mean_squared_error")
        return found.fit(x, x.sum(1, keepdims=True))

    found = search(("comgra", ComgraCallback(sys.argv[1], every_n_steps=1)))
    assert found.best_params_ == search().best_params_
"""


def test_each_fit_of_a_grid_search_is_a_trial_of_its_own(tmp_path: Path) -> None:
    finished = run_script(GRID_SEARCH, tmp_path, tmp_path / "comgra")
    assert finished.returncode == 0, finished.stderr
    # Two rates in two folds each, of 20 samples, and at the end the better rate with all 40.
    trials = ["trial", "trial-2", "trial-3", "trial-4", "trial-5"]
    steps = {name: len(steps_of(recording_in(tmp_path / "comgra", name))["train"]) for name in trials}
    assert sorted(steps.values()) == [10, 10, 10, 10, 20]
    assert sorted(path.name for path in (tmp_path / "comgra" / "default").iterdir()) == trials
    assert (tmp_path / "comgra" / "comgra.html").stat().st_size > 100_000


def test_ctrl_c_leaves_a_page_and_more_training_goes_on(tmp_path: Path) -> None:
    callback = ComgraCallback(tmp_path, every_n_steps=1)
    x = np.ones((40, 3), np.float32)
    nets = []
    for callbacks in ([callback], []):
        interrupting = Interrupting()
        net = fit(*callbacks, interrupting, epochs=1)
        if callbacks:
            assert steps_of(recording_in(tmp_path)) == {"train": [0, 1, 2]}
            assert callback.bundle_ is not None
        interrupting.is_active = False
        nets.append(net.partial_fit(x, x[:, :1], epochs=2).module_)
    assert equal_weights(*nets)
    assert steps_of(recording_in(tmp_path))["train"] == list(range(3 + 2 * 8))


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
