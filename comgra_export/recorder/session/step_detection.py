"""Training steps that find themselves: in a script that says nothing of them, and only calls its modules and its optimizers."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

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
from comgra_export.storage.model import Gap

if TYPE_CHECKING:
    from comgra_export.recorder.session.recorder import ComgraRecorder

__all__ = ["FoundSteps"]

_MAX_ITERATIONS = 100
"""So many calls of a training step are recorded. Accumulation of gradients takes a few; a step whose end is not seen takes them all."""


class FoundSteps:
    """Makes the calls that say where a step begins and ends, in place of the script.

    A step begins with the first call of a watched module that was given to `watch`. It is one of training where that module is in training
    mode and gradients are turned on: then each outermost call is an iteration, and it ends when an optimizer that holds a parameter of a
    watched module has made its step, or at `step`. Any other is one of evaluation, which ends when the call returns. Calls of parts alone
    belong to the training step in progress, or begin one.

    On steps that are not recorded, there are hooks of modules only until the first call.

    Args:
        recorder: The recorder, as a weak reference: hooks must not keep it alive.
        watched: The watched modules.
        gap_keeper: Where trouble goes.
        first_step: How many training steps were made before.
        last_step: The last recorded step of these; None where none is recorded.
    """

    def __init__(
        self,
        recorder: weakref.ref[ComgraRecorder],
        watched: WatchedModules,
        gap_keeper: GapKeeper,
        first_step: int,
        last_step: int | None,
    ) -> None:
        self._recorder = recorder
        self._watched = watched
        self._gap_keeper = gap_keeper
        self._trainings = first_step
        self._last_step = last_step
        self._evaluations = 0
        self._kind: Literal["train", "eval"] | None = None
        self._thread = threading.get_ident()
        self._outermost: nn.Module | None = None
        self._iterations = 0
        self._groups: dict[int, str] = {}
        self._pending: Literal["end", "drop"] | None = None
        self._is_displaced = False
        self._ends_are_told = False
        self._has_seen_a_call = self._has_seen_an_end = False
        self._silence = CompiledModulesSilence()
        self._entrance: list[RemovableHandle] = []
        self._exit: list[RemovableHandle] = []
        self._before_update = [register_optimizer_step_pre_hook(self._before_optimizer)]
        self._after_update: list[RemovableHandle] = []
        self._listen_after_update()
        self._open_entrance()

    def step(self) -> None:
        """Ends the training step in progress. From now on, no optimizer does.

        Raises:
            MisuseError: A watched module is running.
        """
        if self._outermost is not None and is_being_called(self._outermost):
            raise MisuseError("step was called while a watched module runs. Call it after the step of the optimizer.")
        self._ends_are_told = True
        if self._kind is not None:
            self._has_seen_an_end = True
            self._guarded(self._end if self._pending is None else self._make_up)

    def close(self) -> None:
        """Ends the step in progress if a backward pass ran in it, drops it otherwise, and removes all hooks."""
        recorder = self._recorder()
        is_unended = self._kind == "train" and not self._exit
        if recorder is not None and self._kind is not None:
            step = recorder._recording.step
            if self._pending is not None:
                self._guarded(self._make_up)
            elif self._kind == "train" and step is not None and step.has_gradients():
                self._guarded(self._end)
            else:
                recorder.abandon_batch()
        self.remove_hooks()
        if not self._has_seen_a_call:
            self._gap_keeper.warn(
                "no call",
                "No call of a watched module was seen, so nothing was recorded. Perhaps the loop made none: has the loader batches, "
                "and is it this module, and no copy of it, that the loop calls? Perhaps it called model.forward(x), which is not seen: "
                "write model(x). Where the module was compiled in place, by module.compile(), use torch.compile(module).",
            )
        elif not self._has_seen_an_end and (self._iterations > 1 or is_unended):
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
        # The same once more is a call within itself, or one that follows one which Ctrl-C has ended.
        if self._outermost is not None and (self._outermost is not module or is_being_called(module, 2)):
            return
        entrance = self._watched.entrance(module)
        if entrance is not None and (self._kind is None or self._is_here()):
            self._guarded(self._enter, module, entrance, arguments)

    def _enter(self, module: nn.Module, entrance: Entrance, arguments: tuple[Any, ...]) -> None:
        self._make_up()
        if self._kind == "eval":
            # It was interrupted.
            self._drop()
        recorder = self._recorder()
        if recorder is None:
            return
        is_training = entrance.root.training and torch.is_grad_enabled()
        if self._kind is None and not (is_training or entrance.is_evaluated):
            return
        self._has_seen_a_call = True
        if self._kind == "train":
            if self._outermost is not None and recorder._recording.step is not None:
                recorder._recording.step.end_interrupted_calls(entering=module)
            if entrance.is_whole:
                self._continue(recorder)
        elif recorder._order.stage == "inactive":  # Else the script has begun a step itself.
            known = set(GLOBAL_FORWARD_PRE_HOOKS)
            with without_function_overrides():
                batch_size = batch_size_of(arguments, named_arguments(module))
            self._begin(recorder, is_training, batch_size)
            if self._kind is not None and recorder.recording_is_active():
                recorder.start_iteration()
                # PyTorch does not call hooks any more that were added since it began to call them.
                for number, hook in list(GLOBAL_FORWARD_PRE_HOOKS.items()):
                    if number not in known:
                        hook(module, arguments)
        if self._exit:
            self._outermost = module

    def _begin(self, recorder: ComgraRecorder, is_training: bool, batch_size: int) -> None:
        self._thread = threading.get_ident()
        last = self._last_step if recorder._order.step is None else recorder._order.step
        count = self._trainings if is_training else self._trainings + self._evaluations
        number = count if last is None else max(count, last + 1)
        self._is_displaced = number != count
        recorder.start_batch(number, batch_size, "train" if is_training else "eval")
        if recorder.recording_is_active():
            self._exit.append(register_module_forward_hook(self._after_module, with_kwargs=True, always_call=True))
            # Again, so that it is called after those that the step has just added.
            self._listen_after_update()
        elif is_training:
            self._close_entrance()
        else:
            # Its number stays free.
            recorder.abandon_batch()
            self._evaluations += 1
            return
        self._kind = "train" if is_training else "eval"
        self._iterations = 1

    def _continue(self, recorder: ComgraRecorder) -> None:
        """A further call within a training step that is being recorded: the next iteration."""
        if not recorder.recording_is_active():
            return
        self._iterations += 1
        if self._iterations <= _MAX_ITERATIONS:
            recorder.finish_iteration()
            recorder.start_iteration()
            return
        reason = f"only the first {_MAX_ITERATIONS} calls of watched modules within this step were recorded"
        self._gap_keeper.report("calls", Gap(reason, recorder._order.step))
        self._finish(recorder)
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
                self._guarded(self._end)
            elif next(reversed(hooks)) == self._exit[0].id:
                self._guarded(self._drop)
            else:
                self._pending = "drop"

    def _before_optimizer(self, optimizer: Optimizer, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        # A closure runs the network within the step. The optimizer itself is among the arguments.
        if len(arguments) > 1 or named.get("closure") is not None or not self._is_concerned(optimizer):
            return
        try:
            self._record_gradients(id(optimizer))
        except RecordingGapError:
            raise
        except Exception as error:
            # The step goes on: here, none of its hooks could be removed.
            recorder = self._recorder()
            step = None if recorder is None else recorder._order.step
            self._gap_keeper.report("gradients", Gap(f"gradients could not be recorded ({describe_error(error)})", step), error)

    def _after_optimizer(self, optimizer: Optimizer, *_: object) -> None:
        if self._ends_are_told or not self._is_concerned(optimizer):
            return
        self._has_seen_an_end = True
        # PyTorch goes through these hooks while it calls them, so that those of the step can be removed only by the last one.
        if not self._exit or next(reversed(GLOBAL_OPTIMIZER_POST_HOOKS)) == self._after_update[0].id:
            self._guarded(self._end)
        else:
            self._pending = "end"

    def _is_concerned(self, optimizer: Optimizer) -> bool:
        """Whether an optimizer that makes a step now belongs to the training step in progress."""
        if self._kind != "train" or self._pending is not None or not self._is_here() or is_running_backwards():
            return False
        return self._watched.are_updated_by(optimizer)

    def _record_gradients(self, source: int) -> None:
        """Records the gradients, once for each optimizer that is about to use them."""
        recorder = self._recorder()
        if recorder is not None and self._exit and source not in self._groups:
            count = len(self._groups)
            self._groups[source] = "gradients" if count == 0 else f"gradients {count + 1}"
            recorder.record_current_gradients(self._groups[source])

    def _finish(self, recorder: ComgraRecorder) -> None:
        if self._kind == "train" and not self._groups:
            self._record_gradients(0)
        recorder.finish_iteration()
        _remove(self._exit)
        recorder.finish_batch()

    def _end(self) -> None:
        recorder, kind = self._recorder(), self._kind
        if kind == "train":
            self._trainings += 1
            self._evaluations = 0
        else:
            self._evaluations += 1
        try:
            if recorder is not None and self._exit and recorder.recording_is_active():
                self._finish(recorder)
            elif recorder is not None and self._is_displaced:
                # The next training step should have this number.
                recorder.abandon_batch()
            elif recorder is not None and recorder._order.stage != "inactive":
                recorder.finish_batch()
        finally:
            self._forget()

    def _make_up(self) -> None:
        """Ends what is over, if it could not be ended when it was."""
        if self._pending == "end":
            self._end()
        elif self._pending == "drop":
            self._drop()

    def _drop(self) -> None:
        recorder = self._recorder()
        if recorder is not None:
            recorder.abandon_batch()
        self._forget()

    def _forget(self) -> None:
        """No step is in progress any more."""
        self._kind = self._outermost = self._pending = None
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

    def _is_here(self) -> bool:
        return threading.get_ident() == self._thread

    def _guarded(self, action: Callable[..., None], *arguments: object) -> None:
        """Does something within the script's own calls, which must not end with an exception of ours."""
        try:
            action(*arguments)
        except RecordingGapError:
            raise
        except Exception as error:
            recorder = self._recorder()
            step = None if recorder is None else recorder._order.step
            self._drop()
            self._gap_keeper.report("step", Gap(f"the step could not be recorded ({describe_error(error)})", step, whole_step=True), error)


def _remove(hooks: list[RemovableHandle]) -> None:
    remove_hooks(hooks)
    hooks.clear()
