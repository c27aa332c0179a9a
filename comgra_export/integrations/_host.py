"""What all hosts share: a recording that begins and ends with somebody else's training, and a page of it."""

from __future__ import annotations

import atexit
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakSet

from comgra_export import (
    ComgraExportError,
    ComgraRecorder,
    ComgraRecordingWarning,
    MisuseError,
    RecordingGapError,
    TrialExistsError,
    export,
    watch,
)

if TYPE_CHECKING:
    from torch import nn

    from comgra_export.exporter import Bundle

__all__ = ["ExistingTrial", "HostRun", "Settings", "chart_of", "missing_host"]

ExistingTrial = Literal["error", "replace", "rename", "append"]

_PHASES = {"train", "training", "val", "valid", "validation", "eval", "evaluation", "test", "predict"}
_SUFFIXES = {"step", "epoch"}
_LONGEST_EXPORT = 600
"""So many seconds another process has to write a page when Python exits."""

_LOADER = re.compile(r"/dataloader_idx_\d+$")


@dataclass(frozen=True)
class Settings:
    """What a user says once about all runs of a callback.

    Attributes:
        every_n_steps: Records every n-th step; None: the default schedule of `comgra_export.watch`.
        values: As for `comgra_export.watch`.
        bundle: The page that is written at the end, beside the recording unless it is absolute; None: no page.
        existing_trial: As for `ComgraRecorder`.
        arguments: Other arguments of `comgra_export.watch`.
    """

    every_n_steps: int | None = None
    values: bool = False
    bundle: str | os.PathLike[str] | None = "comgra.html"
    existing_trial: ExistingTrial = "rename"
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        every = self.every_n_steps
        if every is not None and (isinstance(every, bool) or not isinstance(every, int) or every < 1):
            raise MisuseError(f"every_n_steps is {every!r}. Give an integer from 1 on, or None for the default schedule.")
        if self.bundle is not None and not isinstance(self.bundle, str | os.PathLike):
            raise MisuseError(f'bundle is {self.bundle!r}. Give the name of the page, such as "comgra.html", or None for no page.')


class HostRun:
    """The recording of what a host trains.

    A host says what happens, in this order, and may leave out the rest::

        run.begin(model, folder)
        run.epoch(0)
        run.metrics({"train_loss": loss})
        bundle = run.finish()

    If recording or exporting fails for a reason that is not the user's, there is one warning of each kind, and the training goes on. Before
    `begin`, and after it has failed, every call returns at once.

    Args:
        host: What warnings begin with, such as `ComgraCallback`.
        settings: What the user has said.
    """

    def __init__(self, host: str, settings: Settings) -> None:
        self.settings = settings
        self.recorder: ComgraRecorder | None = None
        self._host = host
        self._warned: set[str] = set()
        self._rank = 0
        self._pass = ExitStack()
        self._trial: str | None = None
        self._folder: Path | None = None
        self._trained = 0

    @property
    def is_recording(self) -> bool:
        """Whether there is a recording in progress."""
        return self.recorder is not None

    @property
    def trained(self) -> int:
        """How many training steps there were, with the one in progress and those before `begin`."""
        last = None if self.recorder is None else self.recorder.training_step
        # The number of an evaluation lies between those of training steps.
        return self._trained if last is None else floor(last) + 1

    def begin(
        self,
        model: nn.Module,
        folder: str | os.PathLike[str],
        *,
        first_step: int | None = None,
        rank: int | None = None,
        world_size: int | None = None,
        config: object = None,
    ) -> None:
        """Begins to record. If this object has recorded there before, or after `resume`, that recording is continued.

        Args:
            model: The module to watch.
            folder: The folder of all recordings, as `comgra_root_path` of `ComgraRecorder`.
            first_step: How many training steps were made before. By default as many as this object has seen.
            rank: Which process this is. By default as for `ComgraRecorder`.
            world_size: How many there are. By default as for `ComgraRecorder`.
            config: The hyperparameters, as for `ComgraRecorder.set_config`. What that does not take is left out.

        Raises:
            MisuseError: An argument of the user's is not usable.
            TrialExistsError: There is a recording, and the user asked for an error in that case.
        """
        if self.recorder is not None:
            # An exception has ended the training before, and the host told nobody.
            self.finish(exports=False)
        if first_step is not None:
            self._trained = first_step
        folder = Path(folder).absolute()
        arguments: dict[str, Any] = {"existing_trial": self.settings.existing_trial, **self.settings.arguments}
        if self._trial is not None and self._folder == folder:
            arguments |= {"trial_id": self._trial, "existing_trial": "append"}
        if self.settings.every_n_steps is not None:
            arguments["every"] = self.settings.every_n_steps
        is_writable = False
        with self._guard("the recording could not begin"):
            folder.mkdir(parents=True, exist_ok=True)
            is_writable = True
        if not is_writable:
            return
        with self._guard("the recording could not begin", (MisuseError, TrialExistsError)):
            recorder = watch(
                model,
                folder,
                values=self.settings.values,
                # A recording that is appended to knows how many there were, if nobody else does.
                first_step=self._trained if first_step is not None or self._trained > 0 else None,
                rank=rank,
                world_size=world_size,
                **arguments,
            )
            self.recorder, self._folder, self._trial = recorder, folder, recorder.trial_id
            self._rank = _rank_of(recorder)
            _UNFINISHED.add(self)
        if config is not None:
            self.config(config)

    def resume(self, folder: str | os.PathLike[str], trial: str) -> None:
        """The next recording in this folder continues this trial."""
        self._folder, self._trial = Path(folder).absolute(), trial

    @property
    def place(self) -> tuple[Path, str] | None:
        """The folder and the trial that it records, or has recorded, as `resume` takes them."""
        return None if self._folder is None or self._trial is None else (self._folder, self._trial)

    def config(self, values: object) -> None:
        """Records hyperparameters, as `ComgraRecorder.set_config`."""
        self._call("the configuration could not be recorded", lambda recorder: recorder.set_config(values))

    def epoch(self, number: float) -> None:
        """An epoch begins, or so much of it is over."""
        self._call("the epoch could not be recorded", lambda recorder: recorder.set_epoch(number))

    def scaler(self, scaler: object) -> None:
        """Records gradients without the factor of the loss, as `ComgraRecorder.track_grad_scaler`. Does not keep the scaler alive."""
        self._call("the scale of the loss could not be recorded", lambda recorder: recorder.track_grad_scaler(scaler))

    def gradients(self, group: str) -> None:
        """Records the gradients as they are now, besides those that the optimizer gets."""
        self._call("gradients could not be recorded", lambda recorder: recorder.record_current_gradients(group))

    def begin_pass(self, kind: str | None) -> None:
        """All calls of the model are one pass from now on: a batch of training, or an evaluation of this type.

        None leaves out what does not train. A pass in progress ends.
        """
        self.end_pass()
        if self.recorder is not None:
            with self._guard("a pass could not be recorded"):
                self._pass.enter_context(self.recorder.forward_pass(kind))

    def end_pass(self) -> None:
        """The pass in progress is over, if there is one."""
        with self._guard("a pass could not be recorded"):
            self._pass.close()

    def end_step(self) -> None:
        """A training step is over. From the first call on, optimizers no longer end them."""
        # What rules have found is delivered here, to a function of the user's that may stop the training.
        if self.recorder is not None:
            try:
                self.recorder.step()
            except MisuseError as error:
                self._warn("the end of a training step could not be recorded", error)

    def metrics(
        self, values: Mapping[str, Any], timepoint: float | None = None, kind: str | None = None, *, share_charts: bool = True
    ) -> None:
        """Adds a point to the curve of every number among what the host has measured.

        Args:
            values: Numbers, or tensors with one element, by their names. Everything else is left out.
            timepoint: As for `ComgraRecorder.record_kpi_in_graph`.
            kind: The type of execution, as there.
            share_charts: Whether metrics of one kind share a chart, as `chart_of` says. The recorder leaves out a curve of its own if the
                host has one in the chart of that name.
        """
        for name, value in values.items():
            if _is_number(value) and self.recorder is not None:
                with self._guard("a curve could not be recorded"):
                    self.recorder.record_kpi_in_graph(
                        chart_of(str(name)) if share_charts else str(name),
                        str(name),
                        value,
                        timepoint,
                        record_even_if_recording_is_inactive=True,
                        type_of_execution=kind,
                    )

    def finish(
        self,
        error: BaseException | None = None,
        *,
        wait: Callable[[], object] | None = None,
        exports: bool = True,
        is_at_exit: bool = False,
    ) -> Bundle | None:
        """Ends the recording, and writes the page in the process of rank 0.

        Args:
            error: What ended the training, if anything did.
            wait: Waits until all processes of the run have come as far. Not called if there was an error: another process may be gone.
            exports: Whether to write the page.
            is_at_exit: Whether Python exits. It starts no threads any more then, so that another process writes the page.

        Returns:
            The page; None if there is none, or another process has written it.
        """
        recorder = self.recorder
        if recorder is None:
            return None
        if error is None:
            self.end_pass()
        try:
            recorder.__exit__(None if error is None else type(error), error, None if error is None else error.__traceback__)
        finally:
            self._trained = self.trained
            self.recorder = None
            self.end_pass()
            _UNFINISHED.discard(self)
        if error is None and wait is not None:
            wait()
        if not exports or self.settings.bundle is None or self._rank != 0 or recorder.folder is None or self._folder is None:
            return None
        with self._guard("the page could not be written"), warnings.catch_warnings():
            # An exception before the first step leaves nothing to show.
            warnings.filterwarnings("ignore", message=".* holds no step", category=UserWarning)
            recording, page = recorder.folder.parent, self._folder / self.settings.bundle
            if not is_at_exit:
                return export(recording, page, force=True)
            command = [sys.executable, "-m", "comgra_export", "build", os.fspath(recording), "--output", os.fspath(page), "--force"]
            subprocess.run(command, check=True, capture_output=True, timeout=_LONGEST_EXPORT)
        return None

    def attempt(self, trouble: str, action: Callable[[], object]) -> None:
        """Does something else for the host. If that fails, there is a warning that begins with `trouble`."""
        with self._guard(trouble):
            action()

    def _call(self, trouble: str, action: Callable[[ComgraRecorder], object]) -> None:
        if self.recorder is not None:
            with self._guard(trouble):
                action(self.recorder)

    @contextmanager
    def _guard(self, trouble: str, passes: tuple[type[Exception], ...] = ()) -> Iterator[None]:
        """Makes a warning of what goes wrong. Gaps are errors for those who asked for that."""
        try:
            yield
        except Exception as error:
            if isinstance(error, (RecordingGapError, *passes)):
                raise
            self._warn(trouble, error)

    def _warn(self, trouble: str, error: Exception) -> None:
        if trouble not in self._warned:
            self._warned.add(trouble)
            reason = str(error) if isinstance(error, ComgraExportError) else f"{type(error).__name__}: {error}"
            warnings.warn(f"{self._host}: {trouble}. {reason}", ComgraRecordingWarning, stacklevel=5)


def chart_of(metric: str) -> str:
    """The chart of a metric: its name without what says in which phase it was measured. `train_loss` and `val/loss` share `loss`."""
    words = [word for word in re.split(r"[/_ .-]", _LOADER.sub("", metric)) if word]
    while len(words) > 1 and words[0].lower() in _PHASES:
        words.pop(0)
    while len(words) > 1 and words[-1].lower() in _PHASES | _SUFFIXES:
        words.pop()
    return "_".join(words) if words else metric


_UNFINISHED: WeakSet[HostRun] = WeakSet()


@atexit.register
def _finish_at_exit() -> None:
    """Writes the pages of what an exception has ended. Many hosts call no callback then."""
    for run in list(_UNFINISHED):
        run.finish(getattr(sys, "last_value", None), is_at_exit=True)


def missing_host(name: str, extra: str) -> ImportError:
    """Makes the error for a host that is not installed."""
    return ImportError(
        f"comgra_export.integrations needs {name}, which is not installed. Install it with: pip install 'comgra-export[{extra}]'",
        name=name,
    )


def _rank_of(recorder: ComgraRecorder) -> int:
    name = "rank-0" if recorder.folder is None else recorder.folder.name
    return int(name.removeprefix("rank-"))


def _is_number(value: object) -> bool:
    """Whether it can be a point of a curve. Asks no value of a tensor, so that nobody waits for a device."""
    if isinstance(value, bool | str):
        return False
    if isinstance(value, int | float):
        return True
    elements = getattr(value, "numel", None) or getattr(value, "size", None)
    count = elements() if callable(elements) else elements
    return count == 1
