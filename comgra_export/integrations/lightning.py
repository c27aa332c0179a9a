"""Records what a Lightning `Trainer` trains: `Trainer(callbacks=[ComgraCallback()])`."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comgra_export.integrations._callback import HostCallback
from comgra_export.integrations._host import ExistingTrial, missing_host
from comgra_export.integrations.trackers import log_to_mlflow, log_to_wandb

if TYPE_CHECKING:
    from lightning.pytorch import LightningModule, Trainer

    from comgra_export.exporter import Bundle

__all__ = ["ComgraCallback"]

_PACKAGES = ("lightning.pytorch", "pytorch_lightning")
_EVALUATIONS = ("validate", "test", "predict")


def _bases() -> tuple[type, ...]:
    """The class `Callback` of the package that the script uses, or of both: neither takes an object of the other."""
    used = [name for name in _PACKAGES if sys.modules.get(name) is not None]
    for name in used or _PACKAGES:
        try:
            import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name.partition(".")[0]:
                raise
        else:
            return tuple(import_module(name).Callback for name in used or [name])
    raise missing_host("lightning", "lightning")


class ComgraCallback(HostCallback, *_bases()):  # type: ignore[misc]
    """Records what a `Trainer` of `lightning.pytorch` or `pytorch_lightning` does.

    Give it to the trainer, and nothing else changes::

        trainer = Trainer(max_epochs=3, callbacks=[ComgraCallback()])
        trainer.fit(model)

    Training steps have the number of `trainer.global_step`. Evaluations of `fit`, `validate`, `test` and `predict` are recorded, and the
    sanity check is not. Gradients are recorded as the optimizer gets them, and also as they were before the trainer clips them. What the
    model logs becomes curves. The page is written when `fit` ends, after an exception too.

    A run that is resumed from a checkpoint continues its recording, if that is still where it was.

    The other arguments are those of `HostCallback`. By default, `dirpath` is `comgra` in `trainer.log_dir`.

    Args:
        upload: Whether an `MLFlowLogger` or a `WandbLogger` of the trainer gets the page.
    """

    def __init__(
        self,
        dirpath: str | os.PathLike[str] | None = None,
        *,
        every_n_steps: int | None = None,
        values: bool = False,
        bundle: str | os.PathLike[str] | None = "comgra.html",
        existing_trial: ExistingTrial = "rename",
        upload: bool = True,
        **arguments: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(dirpath, every_n_steps=every_n_steps, values=values, bundle=bundle, existing_trial=existing_trial, **arguments)
        self._upload = upload
        self._trained = 0
        self._counted = 0
        self._seen: dict[str, Any] = {}
        self._of_batches: set[str] = set()

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Begins to record."""
        self._counted = trainer.global_step
        self._begin(trainer, pl_module, self._counted)

    def on_train_epoch_start(self, trainer: Trainer, *_: object) -> None:
        """Notes the epoch."""
        self._run.epoch(trainer.current_epoch)

    def on_before_optimizer_step(self, trainer: Trainer, *_: object) -> None:
        """Records the gradients that are about to be clipped."""
        if trainer.gradient_clip_val:
            self._run.gradients("before clipping")

    def on_train_batch_start(self, *_: object) -> None:
        """A batch is an iteration of its training step."""
        self._run.begin_pass(None)

    def on_train_batch_end(self, trainer: Trainer, pl_module: LightningModule, *_: object) -> None:
        """Ends a step that the trainer has counted, and adds what was logged to the curves."""
        self._run.end_pass()
        # The trainer counts an update too that a scaler has skipped, which no optimizer reports.
        if pl_module.automatic_optimization and trainer.global_step > self._counted:
            self._run.end_step()
        self._counted = trainer.global_step
        self._take_metrics(trainer, "train", is_batch=True)

    def on_train_epoch_end(self, trainer: Trainer, *_: object) -> None:
        """Adds what was logged to the curves."""
        self._take_metrics(trainer, "train")

    def on_train_end(self, trainer: Trainer, *_: object) -> None:
        """Writes the page."""
        self._finish(trainer)

    def on_validation_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Begins to record, if nothing is being trained."""
        self._begin_evaluation(trainer, pl_module)

    def on_validation_batch_start(self, *_: object, **__: object) -> None:
        """A batch is an evaluation."""
        self._run.begin_pass("validate")

    def on_validation_batch_end(self, *_: object, **__: object) -> None:
        """The evaluation is over."""
        self._run.end_pass()

    def on_validation_end(self, trainer: Trainer, *_: object) -> None:
        """Adds what was logged to the curves. Writes the page, if nothing is being trained."""
        self._end_evaluation(trainer, "validate")

    def on_test_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Begins to record."""
        self._begin_evaluation(trainer, pl_module)

    def on_test_batch_start(self, *_: object, **__: object) -> None:
        """A batch is an evaluation."""
        self._run.begin_pass("test")

    def on_test_batch_end(self, *_: object, **__: object) -> None:
        """The evaluation is over."""
        self._run.end_pass()

    def on_test_end(self, trainer: Trainer, *_: object) -> None:
        """Writes the page."""
        self._end_evaluation(trainer, "test")

    def on_predict_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Begins to record."""
        self._begin_evaluation(trainer, pl_module)

    def on_predict_batch_start(self, *_: object, **__: object) -> None:
        """A batch is an evaluation."""
        self._run.begin_pass("predict")

    def on_predict_batch_end(self, *_: object, **__: object) -> None:
        """The evaluation is over."""
        self._run.end_pass()

    def on_predict_end(self, trainer: Trainer, *_: object) -> None:
        """Writes the page."""
        self._end_evaluation(trainer, "predict")

    def on_exception(self, trainer: Trainer, pl_module: LightningModule, exception: BaseException) -> None:  # noqa: ARG002
        """Notes what ended the run, and writes the page of what there is."""
        self._finish(trainer, exception)

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps, so that a run that is resumed continues its recording."""
        place = self._run.place
        return {} if place is None else {"folder": os.fspath(place[0]), "trial": place[1]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes what a checkpoint has kept."""
        folder, trial = state_dict.get("folder"), state_dict.get("trial")
        if isinstance(folder, str) and isinstance(trial, str) and os.path.isdir(folder):
            self._run.resume(folder, trial)

    def _begin(self, trainer: Trainer, pl_module: LightningModule, first_step: int) -> None:
        # All processes have to ask for it.
        log_dir = trainer.log_dir
        place = self._run.place
        if self._dirpath is not None:
            folder = self._dirpath
        else:
            folder = Path(log_dir or trainer.default_root_dir) / "comgra" if place is None else place[0]
        hyperparameters = dict(pl_module.hparams) if pl_module.hparams else None
        self._run.begin(
            pl_module,
            folder,
            first_step=first_step,
            rank=trainer.global_rank,
            world_size=trainer.world_size,
            config=hyperparameters,
        )

    def _begin_evaluation(self, trainer: Trainer, pl_module: LightningModule) -> None:
        if trainer.state.fn in _EVALUATIONS:
            self._begin(trainer, pl_module, max(self._trained, trainer.global_step))

    def _end_evaluation(self, trainer: Trainer, kind: str) -> None:
        if not trainer.sanity_checking:
            self._take_metrics(trainer, kind)
        if trainer.state.fn in _EVALUATIONS:
            self._finish(trainer)

    def _take_metrics(self, trainer: Trainer, kind: str, *, is_batch: bool = False) -> None:
        """Adds the metrics that are new since the last time: the trainer goes on showing those of the last evaluation."""
        if not self._run.is_recording:
            return
        metrics = dict(trainer.callback_metrics)
        new = {name: value for name, value in metrics.items() if self._seen.get(name) is not value}
        if is_batch:
            self._of_batches.update(new)
        else:
            # The trainer shows what the last batch has logged again, as other objects.
            new = {name: value for name, value in new.items() if name not in self._of_batches or bool(self._seen[name] != value)}
        self._run.metrics(new, max(self._trained, trainer.global_step, 1) - 1, kind)
        self._seen = metrics

    def _finish(self, trainer: Trainer, error: BaseException | None = None) -> None:
        self._trained = max(self._trained, trainer.global_step)
        bundle = self._finish_run(error, trainer.strategy.barrier)
        if bundle is not None and self._upload:
            self._run.attempt("the page could not be uploaded", lambda: _upload(trainer, bundle))


def _upload(trainer: Trainer, bundle: Bundle) -> None:
    """Gives the page to the loggers that keep files. They are known by their names, so that nothing is imported for that."""
    for logger in trainer.loggers:
        if type(logger).__name__ == "WandbLogger":
            log_to_wandb(bundle, logger.experiment)
        elif type(logger).__name__ == "MLFlowLogger":
            log_to_mlflow(bundle, logger.run_id, logger.experiment)
