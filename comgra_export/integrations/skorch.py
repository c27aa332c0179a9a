"""Records what skorch trains: `NeuralNetClassifier(..., callbacks=[ComgraCallback()])`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from comgra_export.integrations._host import ExistingTrial, HostRun, Settings, missing_host

try:
    from skorch.callbacks import Callback
except ModuleNotFoundError as error:
    if error.name != "skorch":
        raise
    raise missing_host("skorch", "skorch") from error

__all__ = ["ComgraCallback"]


class ComgraCallback(Callback):  # type: ignore[misc]
    """Records what the `fit` of a `NeuralNet` does.

    Give it to the net::

        net = NeuralNetClassifier(Module, callbacks=[ComgraCallback()])
        net.fit(x, y)

    A training step is a step of the optimizer, and a batch of validation is an evaluation. Numbers in `net.history` become curves. The page
    is written at the end, after Ctrl-C too, or when Python exits after an exception. `partial_fit` and a warm start continue the recording.

    Args:
        dirpath: Folder of the recording and the page.
        every_n_steps: Records every n-th step. By default there are many at the beginning and then fewer and fewer.
        values: Whether every value of the recorded samples is kept, and not only statistics.
        bundle: Name of the page in that folder, or its path; None for no page.
        existing_trial: What to do if there is a recording, as for `ComgraRecorder`.
        arguments: Other arguments of `comgra_export.watch`, such as `{"sentinels": True}`.

    Attributes:
        bundle_: The page that was written last; None before.

    Raises:
        MisuseError: An argument is not usable.
    """

    def __init__(
        self,
        dirpath: str | os.PathLike[str] = "comgra",
        *,
        every_n_steps: int | None = None,
        values: bool = False,
        bundle: str | os.PathLike[str] | None = "comgra.html",
        existing_trial: ExistingTrial = "rename",
        arguments: dict[str, Any] | None = None,
    ) -> None:
        # What skorch and scikit-learn clone and set by name.
        self.dirpath = dirpath
        self.every_n_steps = every_n_steps
        self.values = values
        self.bundle = bundle
        self.existing_trial = existing_trial
        self.arguments = arguments
        self.initialize()

    def initialize(self) -> ComgraCallback:
        """The net is initialized: what it trains next is another run."""
        settings = Settings(self.every_n_steps, self.values, self.bundle, self.existing_trial, self.arguments or {})
        self.run_ = HostRun("ComgraCallback", settings)
        self.bundle_: Path | None = None
        return self

    def on_train_begin(self, net: Any, X: object = None, y: object = None, **_: object) -> None:  # noqa: ANN401, ARG002
        """Begins to record."""
        self.run_.begin(net.module_, Path(self.dirpath))

    def on_epoch_begin(self, net: Any, **_: object) -> None:  # noqa: ANN401
        """Notes the epoch."""
        self.run_.epoch(len(net.history) - 1)

    def on_batch_begin(self, net: Any, batch: object = None, training: bool | None = None, **_: object) -> None:  # noqa: ANN401, ARG002
        """A batch is an iteration of its step, or an evaluation."""
        self.run_.begin_pass(None if training else "validate")

    def on_batch_end(self, net: Any, batch: object = None, training: bool | None = None, **_: object) -> None:  # noqa: ANN401, ARG002
        """The iteration or the evaluation is over."""
        self.run_.end_pass()
        if training:
            self.run_.metrics({"train_loss": net.history[-1]["batches"][-1].get("train_loss")}, self._last_step(), "train")

    def on_epoch_end(self, net: Any, **_: object) -> None:  # noqa: ANN401
        """Adds what was measured in this epoch to the curves: `train_loss` is there for every batch."""
        row = {name: value for name, value in net.history[-1].items() if name not in ("epoch", "train_loss", "batches")}
        training = {name: value for name, value in row.items() if name.startswith("train")}
        self.run_.metrics(training, self._last_step(), "train")
        self.run_.metrics({name: value for name, value in row.items() if name.startswith("valid")}, self._last_step(), "validate")

    def on_train_end(self, net: Any, **_: object) -> None:  # noqa: ANN401, ARG002
        """Writes the page."""
        bundle = self.run_.finish()
        if bundle is not None:
            self.bundle_ = bundle.path

    def _last_step(self) -> int:
        return max(self.run_.trained - 1, 0)
