"""Records what a `Trainer` of Hugging Face trains: `Trainer(..., callbacks=[ComgraCallback()])`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comgra_export.integrations._callback import HostCallback
from comgra_export.integrations._host import missing_host

try:
    from transformers import TrainerCallback
    from transformers.trainer_callback import ExportableState
except ModuleNotFoundError as error:
    if error.name != "transformers":
        raise
    raise missing_host("transformers", "transformers") from error

if TYPE_CHECKING:
    from torch import nn
    from transformers import TrainerControl, TrainerState, TrainingArguments

__all__ = ["ComgraCallback"]

_NO_METRICS = re.compile("epoch|step|total_flos|train_.*|.*_runtime|.*_per_second")
"""What the trainer logs besides metrics, and the summary at its end: its mean loss would take the place of the loss of each step."""


class ComgraCallback(HostCallback, TrainerCallback, ExportableState):
    """Records what a `Trainer` does.

    Give it to the trainer, and nothing else changes::

        trainer = Trainer(model, args, train_dataset=data, callbacks=[ComgraCallback()])
        trainer.train()

    The first training step has the number 0: `state.global_step` as it is when the step begins. Gradients are recorded as the optimizer
    gets them. What the trainer logs becomes curves. The page is written at the end of the training, or when Python exits after an
    exception. A run that is resumed from a checkpoint continues its recording.

    The arguments are those of `HostCallback`. By default, `dirpath` is `comgra` in `args.output_dir`.
    """

    def on_train_begin(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,  # noqa: ARG002
        model: nn.Module | None = None,
        **_: Any,  # noqa: ANN401
    ) -> None:
        """Begins to record."""
        if model is None:
            return
        folder = self._dirpath or Path(args.output_dir or ".") / "comgra"
        trial = (state.stateful_callbacks or {}).get(type(self).__name__)
        if state.global_step > 0 and isinstance(trial, dict) and "trial" in trial.get("attributes", {}):
            self._run.resume(folder, trial["attributes"]["trial"])
        self._run.begin(
            model,
            folder,
            first_step=state.global_step,
            rank=args.process_index,
            world_size=args.world_size,
            config=args.to_sanitized_dict(),
        )
        self._run.begin_pass("eval")

    def on_epoch_begin(self, args: Any, state: TrainerState, control: Any, **_: Any) -> None:  # noqa: ANN401, ARG002
        """Notes the epoch."""
        self._run.epoch(int(state.epoch or 0))

    def on_step_begin(self, *_: Any, **__: Any) -> None:  # noqa: ANN401
        """A batch is an iteration of its training step."""
        self._run.begin_pass(None)

    def on_substep_end(self, *_: Any, **__: Any) -> None:  # noqa: ANN401
        """The next batch is another iteration."""
        self._run.begin_pass(None)

    def on_step_end(self, *_: Any, **__: Any) -> None:  # noqa: ANN401
        """The training step is over."""
        self._run.end_step()
        self._run.begin_pass("eval")

    def on_prediction_step(self, *_: Any, **__: Any) -> None:  # noqa: ANN401
        """A batch of evaluation is over: one evaluation, even if the network has generated a text."""
        self._run.begin_pass("eval")

    def on_log(self, args: Any, state: TrainerState, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:  # noqa: ANN401, ARG002
        """Adds what was logged to the curves."""
        metrics = {name: value for name, value in (logs or {}).items() if not _NO_METRICS.fullmatch(name)}
        kind = "eval" if any(name.startswith(("eval", "test", "predict")) for name in metrics) else "train"
        self._run.metrics(metrics, max(state.global_step - 1, 0), kind)

    def on_train_end(self, *_: Any, **__: Any) -> None:  # noqa: ANN401
        """Writes the page."""
        self._finish_run()

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps, so that a run that is resumed continues its recording."""
        place = self._run.place
        return {"args": {}, "attributes": {} if place is None else {"trial": place[1]}}
