"""Detecting steps by the calls of modules and the steps of optimizers."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sized
from typing import Any

import torch
from torch import nn
from torch.optim.optimizer import Optimizer

from comgra_export.errors import MisuseError, RecordingGapError
from comgra_export.recorder.detection.batch_sizes import BatchSize, BatchSizes
from comgra_export.recorder.detection.control import StepControl
from comgra_export.recorder.detection.evaluations import Evaluations
from comgra_export.recorder.detection.hooks import DetectionHooks
from comgra_export.recorder.detection.numbering import StepNumbers
from comgra_export.recorder.detection.routine import Routine
from comgra_export.recorder.detection.sightings import Sightings
from comgra_export.recorder.detection.steps import DetectedSteps, UnrecordedCall
from comgra_export.recorder.host.gaps import GapKeeper, describe_error
from comgra_export.recorder.host.hooks import is_being_called, named_arguments
from comgra_export.recorder.host.isolation import is_being_captured, is_running_backwards
from comgra_export.recorder.host.torch_internals import GLOBAL_FORWARD_PRE_HOOKS, current_backward_pass
from comgra_export.recorder.modules.watched import Entrance, WatchedModules
from comgra_export.storage.model.lines import Gap

__all__ = ["StepDetector"]


class StepDetector:
    """Makes the calls that begin and end steps, in place of the script.

    A step begins with the first call of a watched module that was given to `watch`. It is a training step if that module is in training
    mode and gradients are turned on. Then each outermost call is an iteration, and the step ends at `step`, or when an optimizer that holds
    a parameter of a watched module has made its step. Any other step is an evaluation of one call, or of several calls of parts, as
    `Evaluations` decides. If it is recorded, it goes on until the next call, so that the script may compute a loss from the result. In
    training, calls of parts alone belong to the step in progress, or begin one.

    If another such optimizer makes a step before the next call, the two share their steps. From then on, a step that one of them has begun
    to end goes on until the other has made its step too, or until the next call.

    On steps that are not recorded, there are hooks of modules only until the first call.

    `control` is a weak reference: hooks must not keep the recorder alive. `first_step` training steps were made before. `last_step` is the
    last step that was recorded before these. `batch_size` is as for `comgra_export.watch`.

    Attributes:
        keeps_calls: Whether the first call in each training step that is not recorded is kept until the step ends, if it is one of the
            whole watched module.
    """

    def __init__(
        self,
        control: weakref.ref[StepControl],
        watched: WatchedModules,
        gap_keeper: GapKeeper,
        first_step: int,
        last_step: float | None,
        batch_size: BatchSize = None,
    ) -> None:
        self._control = control
        self._watched = watched
        self._gap_keeper = gap_keeper
        self.keeps_calls = False
        self._script_ends_steps = False
        self._seen = Sightings()
        self._evaluations = Evaluations()
        self._batch_sizes = BatchSizes(batch_size, gap_keeper)
        self._numbers = StepNumbers(first_step, last_step)
        self._hooks = DetectionHooks(self)
        self._steps = DetectedSteps(control, self._hooks, self._numbers, gap_keeper)
        first = control()
        self._waiting_findings: Sized = () if first is None else first.waiting_findings
        self._routine = Routine(control, self._hooks, self._numbers, self._steps)
        self._hooks.start()

    @property
    def unrecorded_call(self) -> UnrecordedCall | None:
        """The first call in the training step in progress, if that is not recorded."""
        return self._steps.unrecorded_call

    @property
    def trained(self) -> int | None:
        """How many training steps ended; None if their ends could not be seen."""
        return None if self._seen.missed_ends or self._misses_ends() else self._numbers.trained

    def step(self) -> None:
        """Ends the training step in progress. From now on, no optimizer does.

        Raises:
            MisuseError: A watched module is running.
        """
        steps = self._steps
        if steps.outermost is not None and is_being_called(steps.outermost):
            raise MisuseError("step was called while a watched module was running. Call it after the step of the optimizer.")
        self._script_ends_steps = True
        self._routine.forget()
        self.end_evaluation()
        if steps.kind is not None:
            self._seen.end = True
            self._guarded(steps.drop if steps.is_to_drop else steps.end)
            self._deliver_findings()

    def end_evaluation(self) -> None:
        """Ends an evaluation whose call has returned, and whose losses were waited for."""
        if self._steps.awaits_losses:
            self._guarded(self._steps.end if self._steps.is_here else self._steps.drop)

    def begin_pass(self, type_of_evaluation: str | None) -> None:
        """All calls from now on are one forward pass: an iteration of a training step, or an evaluation of this type, None for none.

        Raises:
            MisuseError: There is such a pass already.
        """
        if self._evaluations.is_in_pass:
            raise MisuseError("forward_pass: there is a pass in progress. End it first.")
        self.end_evaluation()
        self._routine.forget()
        self._evaluations.begin_pass(type_of_evaluation)

    def end_pass(self) -> None:
        """The forward pass is over."""
        self.end_evaluation()
        self._routine.forget()
        self._evaluations.end_pass()

    def close(self) -> None:
        """Ends the step in progress if a backward pass ran in it, drops it otherwise, and removes all hooks."""
        self.end_evaluation()
        control, steps = self._control(), self._steps
        self._seen.missed_ends = self._misses_ends()
        if control is not None and steps.kind is not None:
            if steps.is_to_drop:
                self._guarded(steps.drop)
            elif steps.kind == "train" and (control.has_gradients or steps.awaits_followers):
                self._guarded(steps.end)
            else:
                control.abandon_batch()
        self.remove_hooks()
        self._seen.warn(self._gap_keeper)

    def remove_hooks(self) -> None:
        """Leaves nothing behind."""
        self._steps.unrecorded_call = None
        self._routine.forget()
        self._hooks.remove()

    def before_call(self, module: nn.Module, arguments: tuple[Any, ...]) -> None:
        """As `HookListener.before_call`."""
        # A compiler that traces this finds nothing in it.
        if torch.compiler.is_compiling() or current_backward_pass() != -1 or is_being_captured():
            return
        try:
            if self._routine.begins(module, arguments):
                return
        except Exception as error:
            self._note_failure(error)
            return
        # A second call of the same module is either within the first, or follows one that Ctrl-C has ended.
        steps = self._steps
        if steps.outermost is not None and (steps.outermost is not module or is_being_called(module, 2)):
            return
        entrance = self._watched.entrance(module)
        if entrance is not None and (steps.kind is None or steps.awaits_losses or steps.is_here):
            self._guarded(self._enter, module, entrance, arguments)

    def after_call(self, module: nn.Module, _: object, *others: object) -> None:
        """As `HookListener.after_call`."""
        steps = self._steps
        if module is not steps.outermost or not steps.is_here or is_running_backwards() or is_being_called(module, 2):
            return
        steps.outermost = None
        if steps.kind == "eval":
            # While an exception passes, PyTorch goes through its hooks as they are, not through a copy.
            if len(others) > 1:
                self._guarded(steps.await_losses, not self._evaluations.may_go_on)
                self._deliver_findings()
            elif self._hooks.is_last_exit:
                self._guarded(steps.drop)
            else:
                steps.is_to_drop = True

    def before_update(self, optimizer: Optimizer, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        """As `HookListener.before_update`."""
        # A closure runs the network within the step. The optimizer itself is among the arguments.
        has_closure = named.get("closure") is not None or any(argument is not None for argument in arguments[1:])
        if has_closure or not self._belongs_to_step(optimizer):
            return
        try:
            self._steps.record_gradients(id(optimizer))
        except RecordingGapError:
            raise
        except Exception as error:
            # The step goes on: here, none of its hooks could be removed.
            control = self._control()
            step = None if control is None else control.step
            self._gap_keeper.report("gradients", Gap(f"gradients could not be recorded ({describe_error(error)})", step), error)

    def after_update(self, optimizer: Optimizer, *_: object) -> None:
        """As `HookListener.after_update`."""
        is_over = False
        try:
            is_over = self._routine.ends(optimizer)
        except Exception as error:
            self._note_failure(error)
        if is_over:
            if self._waiting_findings:
                self._deliver_findings()
            return
        if not self._belongs_to_step(optimizer):
            self._take_follower(optimizer)
            return
        if self._steps.updates.is_new(optimizer):
            self._note_optimizer(optimizer)
        if self._script_ends_steps:
            return
        self._seen.end = True
        steps = self._steps
        if not steps.updates.add(optimizer):
            steps.awaits_followers = True
            # The next call may come before them.
            self._hooks.open_entrance()
            return
        if self._hooks.has_exit:
            self._guarded(steps.end)
        else:
            self._guarded(steps.end_skipped)
            self._routine.note_end(optimizer)
        self._deliver_findings()

    def _enter(self, module: nn.Module, entrance: Entrance, arguments: tuple[Any, ...]) -> None:
        steps, evaluations = self._steps, self._evaluations
        is_training = entrance.root.training and torch.is_grad_enabled()
        goes_on = steps.awaits_losses and steps.is_here and not is_training and evaluations.go_on(module, entrance)
        if steps.kind is not None and not goes_on:
            self._settle()
        control = self._control()
        if control is None:
            return
        if steps.kind is None:
            if is_training:
                evaluations.begin_training(entrance)
            elif not evaluations.begin(module, entrance):
                return
        self._seen.call = True
        if steps.kind is not None:
            if steps.outermost is not None:
                control.end_interrupted_calls(entering=module)
            if evaluations.begins_iteration(entrance, goes_on):
                steps.go_on(control)
            steps.awaits_losses = False
        elif not control.is_between_steps:
            # The script has begun a step itself.
            pass
        elif steps.skip(control, is_training, evaluations.type_of_execution):
            if is_training and module is entrance.root:
                self._routine.note_beginning(module, entrance.may_be_named, keeps_call=self.keeps_calls)
            # Until an end was seen, a step might go on for the whole training.
            if is_training and entrance.is_whole and self.keeps_calls and self._seen.end:
                limit = entrance.may_be_named
                named = named_arguments(module) if limit is None or len(arguments) < limit else {}
                steps.unrecorded_call = entrance.root, arguments, named
        else:
            known = set(GLOBAL_FORWARD_PRE_HOOKS)
            batch_size = self._batch_sizes.of_call(arguments, named_arguments(module))
            steps.begin(control, is_training, evaluations.type_of_execution, batch_size)
            if steps.kind is not None and control.is_recording:
                control.start_iteration()
                # PyTorch does not call hooks any more that were added since it began to call them. They look for arguments by name a few
                # frames up.
                for number, hook in list(GLOBAL_FORWARD_PRE_HOOKS.items()):
                    if number not in known:
                        hook(module, arguments)
        if self._hooks.has_exit:
            steps.outermost = module

    def _settle(self) -> None:
        """Ends the step in progress before a call, unless the call belongs to it."""
        steps = self._steps
        if steps.is_to_drop:
            steps.drop()
        self.end_evaluation()
        if steps.awaits_followers:
            steps.updates.forget_followers()
            steps.end()
        if steps.kind == "eval":
            # It was interrupted.
            steps.drop()

    def _take_follower(self, optimizer: Optimizer) -> None:
        """Takes note of an optimizer that makes a step after a training step was over, and before the next began."""
        steps = self._steps
        is_between = steps.kind is None and steps.updates.is_updated and not self._script_ends_steps and steps.is_here
        if is_between and not steps.updates.has_updated(optimizer) and self._watched.are_updated_by(optimizer):
            steps.updates.follow(optimizer)
            self._routine.forget()
            if steps.updates.is_new(optimizer):
                self._note_optimizer(optimizer)

    def _note_optimizer(self, optimizer: Optimizer) -> None:
        control = self._control()
        if control is not None:
            with self._gap_keeper.guard("optimizers", "the settings of an optimizer could not be recorded", step=control.step):
                control.note_optimizer(optimizer)

    def _belongs_to_step(self, optimizer: Optimizer) -> bool:
        """Whether an optimizer that makes a step now belongs to the training step in progress."""
        steps = self._steps
        if steps.kind != "train" or steps.is_to_drop or not steps.is_here or current_backward_pass() != -1:
            return False
        if self._hooks.has_exit and is_being_captured():
            return False
        return self._watched.are_updated_by(optimizer)

    def _misses_ends(self) -> bool:
        """Whether there were calls of training, and no end of a step."""
        is_unended = self._steps.kind == "train" and not self._hooks.has_exit
        return self._seen.call and not self._seen.end and (self._steps.iterations > 1 or is_unended)

    def _deliver_findings(self) -> None:
        """Not guarded, since the user's function may stop the training by an exception."""
        control = self._control()
        if control is not None:
            control.deliver_findings()

    def _guarded(self, action: Callable[..., None], *arguments: object) -> None:
        """Does something within the script's own calls, which must not raise an exception of ours."""
        try:
            action(*arguments)
        except Exception as error:
            self._note_failure(error)

    def _note_failure(self, error: Exception) -> None:
        """Drops the step in progress, since recording has failed in it. In strict mode the error is the script's."""
        if isinstance(error, RecordingGapError):
            raise error
        control = self._control()
        step = None if control is None else control.step
        self._steps.drop()
        self._gap_keeper.report("step", Gap(f"the step could not be recorded ({describe_error(error)})", step, whole_step=True), error)
