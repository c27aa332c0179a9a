"""Keras on PyTorch with the callback trains as without it. Keras chooses its backend when it is imported, so it runs in a process."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from support.hosts.runs import (
    WAYS_TO_END,
    assert_ended,
    curve,
    evaluations_after,
    gradient_norms,
    needs,
    recording_in,
    run_script,
    steps_of,
)

needs("keras")

SCRIPT = """
    import inspect, json, sys
    import keras, numpy, torch
    from comgra_export.integrations.keras import ComgraCallback

    class Gradients(keras.callbacks.Callback):
        def __init__(self):
            super().__init__()
            self.norms, self.losses, self.scales = [], [], []
        def on_train_batch_end(self, batch, logs=None):
            self.norms.append([float(v.value.grad.double().norm()) for v in self.model.trainable_weights])
            self.losses.append(float(logs["loss"]))
            self.scales.append(float(getattr(self.model.optimizer, "dynamic_scale", 1)))

    policy, accumulated = sys.argv[2:]
    keras.mixed_precision.set_global_policy(policy)

    def train(*callbacks):
        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
        optimizer = keras.optimizers.Adam(0.01, clipnorm=0.1, gradient_accumulation_steps=int(accumulated) or None)
        model.compile(optimizer=optimizer, loss="mse")
        x = numpy.random.default_rng(0).random((40, 3), dtype="float32")
        # So large that in float16 some of the first gradients overflow, and their updates are skipped.
        y = 4 * x.sum(1, keepdims=True)
        history = model.fit(x, y, epochs=3, batch_size=4, validation_split=0.2, callbacks=list(callbacks), verbose=0, shuffle=False)
        return model, history.history, x, y

    gradients, callback = Gradients(), ComgraCallback(sys.argv[1], every_n_steps=1, strict=True)
    model, history, x, y = train(callback, gradients)
    plain, _, _, _ = train()
    equal = all(numpy.array_equal(a, b) for a, b in zip(model.get_weights(), plain.get_weights()))
    model.evaluate(x[:8], y[:8], batch_size=4, callbacks=[callback], verbose=0)
    print(json.dumps({
        "arguments": list(inspect.signature(ComgraCallback).parameters),
        "equal": equal, "norms": gradients.norms, "losses": gradients.losses, "scales": gradients.scales, "validation": history["val_loss"],
        "paths": [v.path for v in model.trainable_weights], "page": str(callback.bundle),
    }))
"""


@pytest.mark.parametrize(
    ("policy", "accumulated"),
    [("float32", 0), ("mixed_bfloat16", 2), ("mixed_float16", 0)],
    ids=["plain", "accumulated in bf16", "float16 with a loss scale"],
)
def test_a_batch_is_a_step(tmp_path: Path, policy: str, accumulated: int) -> None:
    finished = run_script(SCRIPT, tmp_path, tmp_path / "comgra", policy, accumulated, KERAS_BACKEND="torch")
    assert finished.returncode == 0, finished.stderr
    host = json.loads(finished.stdout.splitlines()[-1])
    assert host["equal"]
    assert host["arguments"] == ["dirpath", "every_n_steps", "values", "bundle", "existing_trial", "arguments"]
    recording = recording_in(tmp_path / "comgra")
    assert steps_of(recording) == {
        "train": list(range(24)),
        "validate": [*evaluations_after(7, 2), *evaluations_after(15, 2), *evaluations_after(23, 2)],
        "test": evaluations_after(23, 2, 3),
    }
    assert curve(recording, "loss") == {step: pytest.approx(loss) for step, loss in enumerate(host["losses"])}
    validation = zip((7, 15, 23), map(pytest.approx, host["validation"]), strict=True)
    assert curve(recording, "val_loss", "validate") == dict(validation)
    # The optimizer clips and unscales copies of them, and leaves out those that overflow.
    finite = [step for step, norms in enumerate(host["norms"]) if math.isfinite(sum(norms))]
    assert len(finite) == 24 if policy != "mixed_float16" else 10 <= len(finite) < 24
    assert max(host["norms"][finite[0]]) > 0.1 * host["scales"][finite[0]]
    for step in finite:
        expected = [norm / host["scales"][step] for norm in host["norms"][step]]
        assert sorted(gradient_norms(recording, step).values()) == pytest.approx(sorted(expected), rel=1e-4)
    assert host["page"] == str(tmp_path / "comgra" / "comgra.html")


def test_another_backend_is_refused(tmp_path: Path) -> None:
    code = """
        import keras
        keras.backend.backend = lambda: "jax"
        from comgra_export.integrations.keras import ComgraCallback
        ComgraCallback()
    """
    assert "Keras runs on jax, and only PyTorch can be recorded." in run_script(code, tmp_path, KERAS_BACKEND="torch").stderr


RESUMED = """
    import sys
    import keras, numpy
    from comgra_export.integrations.keras import ComgraCallback

    x = numpy.random.default_rng(0).random((40, 3), dtype="float32")

    def fit(model, *callbacks, **arguments):
        model.fit(x, x[:, :1], batch_size=4, callbacks=list(callbacks), verbose=0, shuffle=False, **arguments)
        return model

    def make():
        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
        model.compile(optimizer=keras.optimizers.Adam(0.01), loss="mse")
        return model

    fit(make(), ComgraCallback(sys.argv[1], every_n_steps=1)).save("half.keras")
    again = ComgraCallback(sys.argv[1], every_n_steps=1, existing_trial="append")
    model = fit(keras.models.load_model("half.keras"), again, epochs=2, initial_epoch=1)
    plain = fit(make(), epochs=2)
    assert all(numpy.array_equal(a, b) for a, b in zip(model.get_weights(), plain.get_weights(), strict=True))
    assert int(model.optimizer.iterations) == 20
"""


def test_a_model_that_is_loaded_continues_its_recording(tmp_path: Path) -> None:
    finished = run_script(RESUMED, tmp_path, tmp_path / "comgra", KERAS_BACKEND="torch")
    assert finished.returncode == 0, finished.stderr
    recording = recording_in(tmp_path / "comgra")
    assert steps_of(recording) == {"train": list(range(20))}
    assert [recording.step(step).epoch for step in (9, 10)] == [0, 1]


ENDING = """
    import sys
    import keras, numpy
    from comgra_export.integrations.keras import ComgraCallback

    class Ends(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            if batch == 4:
                raise KeyboardInterrupt if sys.argv[2] == "interrupt" else RuntimeError("stop")

    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile(optimizer="sgd", loss="mse")
    x = numpy.random.default_rng(0).random((40, 3), dtype="float32")
    model.fit(x, x[:, :1], batch_size=4, callbacks=[ComgraCallback(sys.argv[1], every_n_steps=1), Ends()], verbose=0)
"""


@pytest.mark.parametrize("how", WAYS_TO_END)
def test_the_page_is_written_when_something_ends_the_training(tmp_path: Path, how: str) -> None:
    finished = run_script(ENDING, tmp_path, tmp_path / "comgra", how, KERAS_BACKEND="torch")
    assert_ended(finished, how, tmp_path / "comgra", steps=4)


def test_a_model_that_was_never_compiled_predicts(tmp_path: Path) -> None:
    code = """
        import sys
        import keras, numpy
        from comgra_export.integrations.keras import ComgraCallback

        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
        model.predict(numpy.ones((8, 3), "float32"), batch_size=4, callbacks=[ComgraCallback(sys.argv[1])], verbose=0)
    """
    finished = run_script(code, tmp_path, tmp_path / "comgra", KERAS_BACKEND="torch")
    assert finished.returncode == 0, finished.stderr
    assert (tmp_path / "comgra" / "comgra.html").exists()
