"""Records what Keras trains on PyTorch: `model.fit(..., callbacks=[ComgraCallback()])`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from comgra_export.integrations._callback import HostCallback
from comgra_export.integrations._host import ExistingTrial, missing_host

try:
    import keras
except ModuleNotFoundError as error:
    if error.name != "keras":
        raise
    raise missing_host("keras", "keras") from error

from comgra_export import MisuseError

__all__ = ["ComgraCallback"]


class ComgraCallback(HostCallback, keras.callbacks.Callback):  # type: ignore[misc]
    """Records what `fit`, `evaluate` and `predict` do, with PyTorch as the backend of Keras.

    Give it to the model::

        model.fit(x, y, epochs=3, validation_split=0.2, callbacks=[ComgraCallback()])

    A batch of training is a step, also if the optimizer accumulates gradients. A batch of validation is an evaluation. Gradients are those
    of the batch, without the loss scale: the optimizer of Keras clips and accumulates copies of them. A model that was loaded counts on
    from the batches that its optimizer has seen, so `existing_trial="append"` continues its recording. The page is written at the end, or
    when Python exits after an exception.

    Args:
        dirpath: Folder of the recording and the page; None: `comgra`.
        every_n_steps: Records every n-th step. By default there are many at the beginning and then fewer and fewer.
        values: Whether every value of the recorded samples is kept, and not only statistics.
        bundle: Name of the page in that folder, or its path; None for no page.
        existing_trial: What to do if there is a recording, as for `ComgraRecorder`.
        **arguments: Other arguments of `comgra_export.watch`, such as `sentinels=True`.

    Attributes:
        bundle: The page that was written last; None before.

    Raises:
        MisuseError: An argument is not usable, or Keras runs on another backend.
    """

    def __init__(
        self,
        dirpath: str | os.PathLike[str] | None = None,
        *,
        every_n_steps: int | None = None,
        values: bool = False,
        bundle: str | os.PathLike[str] | None = "comgra.html",
        existing_trial: ExistingTrial = "rename",
        **arguments: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(dirpath, every_n_steps=every_n_steps, values=values, bundle=bundle, existing_trial=existing_trial, **arguments)
        if keras.backend.backend() != "torch":
            raise MisuseError(
                f"ComgraCallback: Keras runs on {keras.backend.backend()}, and only PyTorch can be recorded. Set KERAS_BACKEND=torch "
                "before you import keras."
            )
        self._steps = 0
        self._is_training = False
        self._scale: _LossScale | None = None

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begins to record."""
        self._is_training = True
        self._begin()

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Notes the epoch."""
        self._run.epoch(epoch)

    def on_train_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """A batch is a training step."""
        self._run.begin_pass(None)

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """The training step is over: no optimizer of PyTorch tells so."""
        self._run.end_pass()
        self._run.end_step()
        self._run.metrics(logs or {}, self._steps, "train")
        self._steps += 1

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Adds what was measured in validation to the curves."""
        validation = {name: value for name, value in (logs or {}).items() if name.startswith("val_")}
        self._run.metrics(validation, max(self._steps - 1, 0), "validate")

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Writes the page."""
        self._is_training = False
        self._finish_run()

    def on_test_begin(self, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begins to record, if nothing is being trained."""
        if not self._is_training:
            self._begin()

    def on_test_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """A batch is an evaluation."""
        self._run.begin_pass("validate" if self._is_training else "test")

    def on_test_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """The evaluation is over."""
        self._run.end_pass()

    def on_test_end(self, logs: dict[str, Any] | None = None) -> None:
        """Writes the page, if nothing is being trained."""
        if not self._is_training:
            self._run.metrics(logs or {}, max(self._steps - 1, 0), "test")
            self._finish_run()

    def on_predict_begin(self, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begins to record."""
        if not self._is_training:
            self._begin()

    def on_predict_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """A batch is an evaluation."""
        self._run.begin_pass("predict")

    def on_predict_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """The evaluation is over."""
        self._run.end_pass()

    def on_predict_end(self, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Writes the page."""
        if not self._is_training:
            self._finish_run()

    def _begin(self) -> None:
        if not self._run.is_recording or self._is_training:
            self._steps = max(self._steps, _batches_of(self.model))
            self._run.begin(self.model, self._dirpath or Path("comgra"), first_step=self._steps)
            # A model need not be compiled to predict.
            self._scale = _loss_scale(getattr(self.model, "optimizer", None))
            if self._scale is not None:
                self._run.scaler(self._scale)


class _LossScale:
    """By how much an optimizer multiplies the loss, as the scaler of PyTorch says it."""

    def __init__(self, optimizer: Any) -> None:  # noqa: ANN401
        self._optimizer = optimizer

    def get_scale(self) -> float:
        return float(self._optimizer.scale_loss(1.0))


def _loss_scale(optimizer: Any) -> _LossScale | None:  # noqa: ANN401
    """How an optimizer scales the loss; None if it does not, or does not tell."""
    scale = _LossScale(optimizer)
    try:
        return None if optimizer is None or scale.get_scale() == 1 else scale
    except Exception:
        return None


def _batches_of(model: Any) -> int:  # noqa: ANN401
    """How many batches a model has been trained with, as far as its optimizer knows: a model that was loaded keeps its number."""
    optimizer = getattr(model, "optimizer", None)
    if optimizer is None:
        return 0
    return int(optimizer.iterations) * (optimizer.gradient_accumulation_steps or 1)
