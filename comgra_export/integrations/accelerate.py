"""Records what a script trains with Accelerate: `Accelerator(log_with=ComgraTracker(model))`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import finalize

from torch import distributed

from comgra_export.integrations._host import ExistingTrial, HostRun, Settings, missing_host

try:
    from accelerate import PartialState
    from accelerate.tracking import GeneralTracker
except ModuleNotFoundError as error:
    if error.name != "accelerate":
        raise
    raise missing_host("accelerate", "accelerate") from error

if TYPE_CHECKING:
    from torch import nn

    from comgra_export import ComgraRecorder

__all__ = ["ComgraTracker"]


def _is_main_process() -> bool:
    """Whether Accelerate will call trackers in this process. No state of Accelerate is asked: asking would initialize it."""
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank() == 0
    return os.environ.get("RANK", "0") == "0"


class ComgraTracker(GeneralTracker):
    """Records what a script does with an `Accelerator`.

    It begins with `init_trackers` and ends with `end_training`::

        accelerator = Accelerator(log_with=ComgraTracker(model))
        accelerator.init_trackers("project", config={"lr": 0.01})
        ...
        accelerator.log({"loss": loss}, step=step)
        accelerator.end_training()

    A training step is a step of the optimizer, so the batches that gradients are accumulated over are iterations of one. If an exception
    ends the script, the page is written when Python exits.

    Every process records its part. Accelerate calls trackers in the main process only, so the others begin when the tracker is made, and
    end when it is gone or Python exits. The page may lack their last steps, which `comgra-export build` adds.

    Args:
        model: The module, as it was before `prepare`.
        dirpath: Folder of the recording and the page.
        every_n_steps: Records every n-th step. By default there are many at the beginning and then fewer and fewer.
        values: Whether every value of the recorded samples is kept, and not only statistics.
        bundle: Name of the page in that folder, or its path; None for no page.
        existing_trial: What to do if there is a recording, as for `ComgraRecorder`.
        first_step: How many training steps were made before, for a run that is resumed with `existing_trial="append"`. None: as many as
            the recording has.
        **arguments: Other arguments of `comgra_export.watch`, such as `sentinels=True`.

    Attributes:
        bundle: The page that was written last; None before.

    Raises:
        MisuseError: An argument is not usable.
    """

    name = "comgra"
    requires_logging_directory = False
    main_process_only = False

    def __init__(
        self,
        model: nn.Module,
        dirpath: str | os.PathLike[str] = "comgra",
        *,
        every_n_steps: int | None = None,
        values: bool = False,
        bundle: str | os.PathLike[str] | None = "comgra.html",
        existing_trial: ExistingTrial = "rename",
        first_step: int | None = None,
        **arguments: Any,  # noqa: ANN401
    ) -> None:
        super().__init__()
        self.bundle: Path | None = None
        self._model = model
        self._dirpath = Path(dirpath)
        self._first_step = first_step
        self._run = HostRun("ComgraTracker", Settings(every_n_steps, values, bundle, existing_trial, arguments))
        if not _is_main_process():
            self._run.begin(model, self._dirpath, first_step=first_step)
            # Nobody tells this process when the training ends. The end of Python has a function of its own.
            finalize(self, self._run.finish, exports=False).atexit = False

    @property
    def tracker(self) -> ComgraRecorder | None:
        """The recorder; None before `init_trackers` and after `end_training`."""
        return self._run.recorder

    def start(self) -> None:
        """Begins to record."""
        if self._run.is_recording:
            return
        state = PartialState()
        self._run.begin(self._model, self._dirpath, first_step=self._first_step, rank=state.process_index, world_size=state.num_processes)

    def store_init_configuration(self, values: dict[str, Any]) -> None:
        """Records the hyperparameters."""
        self._run.config(values)

    def log(self, values: dict[str, Any], step: int | None = None, **_: Any) -> None:  # noqa: ANN401
        """Adds points to curves, at the last step of training or at the one given."""
        self._run.metrics(values, step)

    def finish(self) -> None:
        """Writes the page."""
        bundle = self._run.finish()
        if bundle is not None:
            self.bundle = bundle.path
