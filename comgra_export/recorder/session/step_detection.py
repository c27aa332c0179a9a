"""Detecting training steps in a script that does not say where they begin: by the calls of its modules and its optimizers."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any, Literal, Protocol

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.utils.hooks import RemovableHandle

from comgra_export.errors import MisuseError, RecordingGapError
from comgra_export.recorder.host.compilation import CompiledModulesSilence
from comgra_export.recorder.host.gaps import GapKeeper, describe_error
from comgra_export.recorder.host.hooks import is_being_called, named_arguments, remove_hooks
from comgra_export.recorder.host.isolation import is_running_backwards
from comgra_export.recorder.host.torch_internals import (
    GLOBAL_FORWARD_HOOKS,
    GLOBAL_FORWARD_PRE_HOOKS,
    GLOBAL_OPTIMIZER_POST_HOOKS,
    without_function_overrides,
)
from comgra_export.recorder.modules.ports import batch_size_of
from comgra_export.recorder.modules.watched import Entrance, WatchedModules
from comgra_export.storage.model.lines import Gap

__all__ = ["StepControl", "StepDetector"]

_MAX_ITERATIONS = 100
"""At most this many calls of a training step are recorded. Gradient accumulation takes a few; a step whose end is not seen takes all."""


class StepControl(Protocol):
    """The calls by which a `StepDetector` begins and ends steps in place of the script. `StepLifecycle` provides them."""

    @property
    def step(self) -> int | None:
        """The number of the step in progress, or of the last one; None before the first."""

    @property
    def is_between_steps(self) -> bool:
        """Whether no step is in progress."""

    @property
    def is_recording(self) -> bool:
        """Whether a step is in progress and being recorded, or may turn out to be."""

    @property
    def has_gradients(self) -> bool:
        """Whether a step is being recorded, and gradients have reached its tensors."""

    def start_batch(self, training_step: int, batch_size: int, type_of_execution: str) -> None:
        """Begins a step."""

    def start_iteration(self) -> None:
        """Begins an iteration of it."""

    def end_interrupted_calls(self, entering: nn.Module) -> None:
        """Notes that Ctrl-C has ended the calls of watched modules in progress, save those around a call of this module that begins."""

    def record_gradients(self, group: str) -> None:
        """Records the gradients as they are now."""

    def end_evaluation(self) -> None:
        """Notes that the call of an evaluation is over, and only its losses may follow."""

    def note_optimizer(self, optimizer: Optimizer) -> None:
        """Tracks an optimizer that has made a step."""

    def finish_iteration(self) -> None:
        """Ends the iteration."""

    def finish_batch(self) -> None:
        """Ends the step."""

    def deliver_findings(self) -> None:
        """Warns of what was found in steps, and lets a function of the user's have it, which may raise anything."""

    def abandon_batch(self) -> None:
        """Drops the step in progress, if there is one."""


class StepDetector:
    """Makes the calls that begin and end steps, in place of the script.

    A step begins with the first call of a watched module that was given to `watch`. It is a training step if that module is in training
    mode and gradients are turned on. Then each outermost call is an iteration, and the step ends at `step`, or when an optimizer that holds
    a parameter of a watched module has made its step. Any other step is an evaluation of one call. If it is recorded, it goes on until the
    next call, so that the script may compute a loss from the result. Calls of parts alone belong to the training step in progress, or begin
    one.

    If another such optimizer makes a step before the next call, the two share their steps. From then on, a step that one of them has begun
    to end goes on until the other has made its step too, or until the next call.

    On steps that are not recorded, there are hooks of modules only until the first call.

    `control` is a weak reference: hooks must not keep the recorder alive. `first_step` training steps were made before. `last_step` is the
    last recorded one of these.
    """

    def __init__(
        self,
        control: weakref.ref[StepControl],
        watched: WatchedModules,
        gap_keeper: GapKeeper,
        first_step: int,
        last_step: int | None,
    ) -> None:
        self._control = control
        self._watched = watched
        self._gap_keeper = gap_keeper
        self._first_step = self._trainings = first_step
        self._last_step = last_step
        self._evaluations = 0
        self._kind: Literal["train", "eval"] | None = None
        self._thread = threading.get_ident()
        self._outermost: nn.Module | None = None
        self._iterations = 0
        self._groups: dict[int, str] = {}
        self._optimizers: weakref.WeakSet[Optimizer] = weakref.WeakSet()
        self._pending: Literal["end", "drop"] | None = None
        self._awaits_losses = False
        self._home = self._thread
        self._updated_by: weakref.WeakSet[Optimizer] = weakref.WeakSet()
        self._followers: weakref.WeakSet[Optimizer] = weakref.WeakSet()
        self._awaits_followers = False
        self._has_other_number = False
        self._script_ends_steps = False
        self._has_seen_a_call = self._has_seen_an_end = self._has_missed_ends = False
        self._silence = CompiledModulesSilence()
        self._entrance: list[RemovableHandle] = []
        self._exit: list[RemovableHandle] = []
        self._before_update = [register_optimizer_step_pre_hook(self._before_optimizer)]
        self._after_update: list[RemovableHandle] = []
        self._listen_after_update()
        self._open_entrance()

    @property
    def trained(self) -> int | None:
        """How many training steps ended; None if their ends could not be seen."""
        return None if self._has_missed_ends or self._misses_ends() else self._trainings - self._first_step

    def step(self) -> None:
        """Ends the training step in progress. From now on, no optimizer does.

        Raises:
            MisuseError: A watched module is running.
        """
        if self._outermost is not None and is_being_called(self._outermost):
            raise MisuseError("step was called while a watched module runs. Call it after the step of the optimizer.")
        self._script_ends_steps = True
        self.end_evaluation()
        if self._kind is not None:
            self._has_seen_an_end = True
            self._guarded(self._end if self._pending is None else self._finish_pending)
            self._deliver_findings()

    def end_evaluation(self) -> None:
        """Ends an evaluation whose call has returned, and whose losses were waited for."""
        if self._awaits_losses:
            self._guarded(self._end if self._is_here() else self._drop)

    def close(self) -> None:
        """Ends the step in progress if a backward pass ran in it, drops it otherwise, and removes all hooks."""
        self.end_evaluation()
        control = self._control()
        self._has_missed_ends = self._misses_ends()
        if control is not None and self._kind is not None:
            if self._pending is not None:
                self._guarded(self._finish_pending)
            elif self._kind == "train" and (control.has_gradients or self._awaits_followers):
                self._guarded(self._end)
            else:
                control.abandon_batch()
        self.remove_hooks()
        if not self._has_seen_a_call:
            self._gap_keeper.warn(
                "no call",
                "No call of a watched module was seen, so nothing was recorded. Perhaps the loop made none: has the loader batches, "
                "and is it this module, and no copy of it, that the loop calls? Perhaps it called model.forward(x), which is not seen: "
                "write model(x). If the module was compiled in place, by module.compile(), use torch.compile(module).",
            )
        elif self._has_missed_ends:
            self._gap_keeper.warn(
                "no end",
                "No optimizer of PyTorch made a step with parameters of a watched module, so all calls count as one training step. "
                "Call the recorder's step() at the end of each.",
            )

    def remove_hooks(self) -> None:
        """Leaves nothing behind."""
        self._close_entrance()
        for hooks in (self._exit, self._before_update, self._after_update):
            _remove(hooks)

    def _before_module(self, module: nn.Module, arguments: tuple[Any, ...]) -> None:
        # A compiler that traces this finds nothing in it.
        if torch.compiler.is_compiling() or is_running_backwards():
            return
        # A second call of the same module is either within the first, or follows one that Ctrl-C has ended.
        if self._outermost is not None and (self._outermost is not module or is_being_called(module, 2)):
            return
        entrance = self._watched.entrance(module)
        if entrance is not None and (self._kind is None or self._awaits_losses or self._is_here()):
            self._guarded(self._enter, module, entrance, arguments)

    def _enter(self, module: nn.Module, entrance: Entrance, arguments: tuple[Any, ...]) -> None:
        self._finish_pending()
        self.end_evaluation()
        if self._awaits_followers:
            # They do not take part in every step.
            self._followers.clear()
            self._end()
        if self._kind == "eval":
            # It was interrupted.
            self._drop()
        control = self._control()
        if control is None:
            return
        is_training = entrance.root.training and torch.is_grad_enabled()
        if self._kind is None and not (is_training or entrance.is_evaluated):
            return
        self._has_seen_a_call = True
        if self._kind == "train":
            if self._outermost is not None:
                control.end_interrupted_calls(entering=module)
            if entrance.is_whole:
                self._continue(control)
        elif control.is_between_steps:  # Else the script has begun a step itself.
            known = set(GLOBAL_FORWARD_PRE_HOOKS)
            with without_function_overrides():
                batch_size = batch_size_of(arguments, named_arguments(module))
            self._begin(control, is_training, batch_size)
            if self._kind is not None and control.is_recording:
                control.start_iteration()
                # PyTorch does not call hooks any more that were added since it began to call them.
                for number, hook in list(GLOBAL_FORWARD_PRE_HOOKS.items()):
                    if number not in known:
                        hook(module, arguments)
        if self._exit:
            self._outermost = module

    def _begin(self, control: StepControl, is_training: bool, batch_size: int) -> None:
        self._thread = threading.get_ident()
        last = self._last_step if control.step is None else control.step
        count = self._trainings if is_training else self._trainings + self._evaluations
        number = count if last is None else max(count, last + 1)
        self._has_other_number = number != count
        control.start_batch(number, batch_size, "train" if is_training else "eval")
        if control.is_recording:
            self._exit.append(register_module_forward_hook(self._after_module, with_kwargs=True, always_call=True))
            # Again, so that it is called after those that the step has just added.
            self._listen_after_update()
        elif is_training:
            self._close_entrance()
        else:
            # Its number stays free.
            control.abandon_batch()
            self._evaluations += 1
            return
        self._kind = "train" if is_training else "eval"
        self._iterations = 1
        self._updated_by.clear()

    def _continue(self, control: StepControl) -> None:
        """A further call within a training step that is being recorded: the next iteration."""
        if not control.is_recording:
            return
        self._iterations += 1
        if self._iterations <= _MAX_ITERATIONS:
            control.finish_iteration()
            control.start_iteration()
            return
        reason = f"only the first {_MAX_ITERATIONS} calls of watched modules within this step were recorded"
        self._gap_keeper.report("calls", Gap(reason, control.step))
        self._finish(control)
        self._close_entrance()

    def _after_module(self, module: nn.Module, _: object, *others: object) -> None:
        # The arguments by name and the result; of a module that raises, only the result.
        if module is not self._outermost or not self._is_here() or is_running_backwards() or is_being_called(module, 2):
            return
        self._outermost = None
        if self._kind == "eval":
            # While an exception passes, PyTorch goes through its hooks as they are, not through a copy.
            hooks = GLOBAL_FORWARD_HOOKS
            if len(others) > 1:
                self._guarded(self._await_losses)
                self._deliver_findings()
            elif next(reversed(hooks)) == self._exit[0].id:
                self._guarded(self._drop)
            else:
                self._pending = "drop"

    def _before_optimizer(self, optimizer: Optimizer, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        # A closure runs the network within the step. The optimizer itself is among the arguments.
        if len(arguments) > 1 or named.get("closure") is not None or not self._belongs_to_step(optimizer):
            return
        try:
            self._record_gradients(id(optimizer))
        except RecordingGapError:
            raise
        except Exception as error:
            # The step goes on: here, none of its hooks could be removed.
            control = self._control()
            step = None if control is None else control.step
            self._gap_keeper.report("gradients", Gap(f"gradients could not be recorded ({describe_error(error)})", step), error)

    def _after_optimizer(self, optimizer: Optimizer, *_: object) -> None:
        if not self._belongs_to_step(optimizer):
            self._take_follower(optimizer)
            return
        if optimizer not in self._optimizers:
            self._note_optimizer(optimizer)
        if self._script_ends_steps:
            return
        self._has_seen_an_end = True
        self._updated_by.add(optimizer)
        if not self._followers <= self._updated_by:
            self._awaits_followers = True
            # The next call may come before them.
            self._open_entrance()
            return
        # PyTorch goes through these hooks while it calls them, so that those of the step can be removed only by the last one.
        if not self._exit or next(reversed(GLOBAL_OPTIMIZER_POST_HOOKS)) == self._after_update[0].id:
            self._guarded(self._end)
        else:
            self._pending = "end"
        self._deliver_findings()

    def _take_follower(self, optimizer: Optimizer) -> None:
        """Takes note of an optimizer that makes a step after a training step was over, and before the next began."""
        is_between = self._kind is None and bool(self._updated_by) and not self._script_ends_steps and self._is_here()
        if is_between and optimizer not in self._updated_by and self._watched.are_updated_by(optimizer):
            self._followers.add(optimizer)
            if optimizer not in self._optimizers:
                self._note_optimizer(optimizer)

    def _note_optimizer(self, optimizer: Optimizer) -> None:
        control = self._control()
        if control is not None:
            self._optimizers.add(optimizer)
            with self._gap_keeper.guard("optimizers", "the settings of an optimizer could not be recorded", step=control.step):
                control.note_optimizer(optimizer)

    def _belongs_to_step(self, optimizer: Optimizer) -> bool:
        """Whether an optimizer that makes a step now belongs to the training step in progress."""
        if self._kind != "train" or self._pending is not None or not self._is_here() or is_running_backwards():
            return False
        return self._watched.are_updated_by(optimizer)

    def _record_gradients(self, source: int) -> None:
        """Records the gradients, once for each optimizer that is about to use them."""
        control = self._control()
        if control is not None and self._exit and source not in self._groups:
            count = len(self._groups)
            self._groups[source] = "gradients" if count == 0 else f"gradients {count + 1}"
            control.record_gradients(self._groups[source])

    def _finish(self, control: StepControl) -> None:
        if self._kind == "train" and not self._groups:
            self._record_gradients(0)
        control.finish_iteration()
        _remove(self._exit)
        control.finish_batch()

    def _end(self) -> None:
        control, kind = self._control(), self._kind
        if kind == "train":
            self._trainings += 1
            self._evaluations = 0
        else:
            self._evaluations += 1
        try:
            if control is not None and self._exit and control.is_recording:
                self._finish(control)
            elif control is not None and self._has_other_number:
                # The next training step should have this number.
                control.abandon_batch()
            elif control is not None and not control.is_between_steps:
                control.finish_batch()
        finally:
            self._forget()

    def _await_losses(self) -> None:
        """The call of an evaluation has returned. In another thread than that of the script, nobody might come to end the step."""
        control = self._control()
        if control is None or self._thread != self._home:
            self._end()
        else:
            control.end_evaluation()
            self._awaits_losses = True

    def _finish_pending(self) -> None:
        """Ends or drops the step that is over, if that had to wait."""
        if self._pending == "end":
            self._end()
        elif self._pending == "drop":
            self._drop()

    def _misses_ends(self) -> bool:
        """Whether there were calls of training, and no end of a step."""
        is_unended = self._kind == "train" and not self._exit
        return self._has_seen_a_call and not self._has_seen_an_end and (self._iterations > 1 or is_unended)

    def _drop(self) -> None:
        control = self._control()
        if control is not None:
            control.abandon_batch()
        self._forget()

    def _forget(self) -> None:
        """No step is in progress any more."""
        self._kind = self._outermost = self._pending = None
        self._awaits_losses = self._awaits_followers = False
        self._groups.clear()
        _remove(self._exit)
        self._open_entrance()

    def _open_entrance(self) -> None:
        if not self._entrance:
            self._silence.start()
            self._entrance.append(register_module_forward_pre_hook(self._before_module))

    def _close_entrance(self) -> None:
        if self._entrance:
            self._silence.stop()
            _remove(self._entrance)

    def _listen_after_update(self) -> None:
        _remove(self._after_update)
        self._after_update.append(register_optimizer_step_post_hook(self._after_optimizer))

    def _deliver_findings(self) -> None:
        """Not guarded, since the user's function may stop the training by an exception."""
        control = self._control()
        if control is not None:
            control.deliver_findings()

    def _is_here(self) -> bool:
        return threading.get_ident() == self._thread

    def _guarded(self, action: Callable[..., None], *arguments: object) -> None:
        """Does something within the script's own calls, which must not raise an exception of ours."""
        try:
            action(*arguments)
        except RecordingGapError:
            raise
        except Exception as error:
            control = self._control()
            step = None if control is None else control.step
            self._drop()
            self._gap_keeper.report("step", Gap(f"the step could not be recorded ({describe_error(error)})", step, whole_step=True), error)


def _remove(hooks: list[RemovableHandle]) -> None:
    remove_hooks(hooks)
    hooks.clear()
