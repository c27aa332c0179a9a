"""The recorder that a training script calls.

This module is long because every public method stands here with its documentation. What the methods do stands in the modules beside it.
"""

from __future__ import annotations

import os
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import torch
from torch import Tensor, nn

from comgra_export.errors import MisuseError
from comgra_export.recorder.detection.batch_sizes import BatchSize
from comgra_export.recorder.detection.detector import StepDetector
from comgra_export.recorder.flows.pairs import FlowLimits
from comgra_export.recorder.flows.progress import ShowProgress
from comgra_export.recorder.flows.request import FlowRequest
from comgra_export.recorder.host.autograd import require_gradient
from comgra_export.recorder.host.callers import level_of_user
from comgra_export.recorder.host.gaps import ComgraRecordingWarning, describe_error
from comgra_export.recorder.host.isolation import is_running_backwards
from comgra_export.recorder.host.source_lines import SourceLines, project_folder
from comgra_export.recorder.modules.raised_in import module_that_raised
from comgra_export.recorder.modules.registry import ModuleRegistry
from comgra_export.recorder.modules.training_state import TrainingState
from comgra_export.recorder.numbers.histogram_values import HISTOGRAM_VALUES
from comgra_export.recorder.output.process_rank import process_rank
from comgra_export.recorder.output.recording_output import RecordingOutput
from comgra_export.recorder.output.trial_folder import ExistingTrial, claim_folder
from comgra_export.recorder.sentinels.unusual_steps import UnusualSteps
from comgra_export.recorder.sentinels.update_check import UpdateCheck
from comgra_export.recorder.session.arguments import check_arguments, check_prefixes, check_type_of_execution, root_folder
from comgra_export.recorder.session.attributes import RecorderAttributes
from comgra_export.recorder.session.call_order import CallOrder
from comgra_export.recorder.session.checking import conclude, make_checker_for
from comgra_export.recorder.session.configuration import record_config
from comgra_export.recorder.session.curve_points import CurvePoints
from comgra_export.recorder.session.iterations import CurrentIteration
from comgra_export.recorder.session.lifecycle import StepLifecycle
from comgra_export.recorder.session.registering import register_tensor
from comgra_export.recorder.session.schedules import DecisionMakerForRecordings, DueSteps, choose_schedule
from comgra_export.recorder.session.step_recording import StepRecording
from comgra_export.recorder.session.tracking import Tracking
from comgra_export.recorder.session.update_checking import check_updates
from comgra_export.recorder.step.options import GraphSource, StepOptions
from comgra_export.recorder.tracing.registered_tensors import Connectable
from comgra_export.storage.codec.decode_lines import MAX_ERROR
from comgra_export.storage.model.lines import Note, SessionEnd
from comgra_export.storage.model.recording import Header
from comgra_export.storage.text.steps import step_in_words

if TYPE_CHECKING:
    from comgra_export.analysis.findings.model.finding import Finding

__all__ = ["ComgraRecorder"]

_Arguments = ParamSpec("_Arguments")


def _on_recorded_steps(
    method: Callable[Concatenate[ComgraRecorder, _Arguments], None],
) -> Callable[Concatenate[ComgraRecorder, _Arguments], None]:
    """Makes a method of the recorder return at once unless a step is being recorded, and ignores it during a backward pass."""

    @wraps(method)
    def guarded(self: ComgraRecorder, /, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> None:
        recording = self._recording
        if recording.step is not None:
            self._steps.call(method, self, *arguments, **named)
        else:
            recording.has_ignored_calls = True

    return guarded


class ComgraRecorder(RecorderAttributes):
    """Records what happens inside a network while it is trained.

    Call its methods in this order. On a step that the schedule leaves out, each call returns at once::

        recorder.track_module("model", model)                # once, before the first step
        recorder.start_batch(step, batch_size)
        recorder.start_iteration()
        recorder.register_tensor("x", x, is_input=True)      # where the tensor is made, before it is used
        ...
        recorder.record_current_gradients("gradients")       # after loss.backward()
        recorder.finish_iteration()
        recorder.finish_batch()
        recorder.finalize()                                  # once, at the end

    `with recorder.batch(step, batch_size):` and `with recorder.iteration():` do the same. They drop the step if their body raises. As a
    context manager, the recorder finalizes itself.

    Recording is a guest in your training: it changes no result, no random number and no gradient of a parameter. A wrong call raises
    `MisuseError`. If something cannot be recorded for another reason (an unusual tensor, a full disk), the recording notes it as a gap,
    and the script gets one `ComgraRecordingWarning` per kind.

    On recorded steps, the recorder traces the PyTorch functions that are called between `start_batch` and `finish_batch`. So it knows what
    was computed from what, even without gradients (`detach`, `torch.no_grad`, integers, evaluation mode), in whatever order tensors are
    registered. It reads the rest (scripted modules, extensions, other threads) from autograd's graph, as far as there is one.

    A registered floating-point tensor that requires no gradient, such as an input, still gets one. The recorder computes with a twin of it
    that requires a gradient, and the script never sees that twin. The tensors of the script keep their flags, and can be used as always.
    Register them before they are used. Parameters (including frozen ones), buffers, and tensors registered under `torch.no_grad()` get no
    twin. A gradient is absent if it would have to pass through a `torch.autograd.Function`, a scripted module or a checkpointed block. If
    the recorder notices this, a gap says why. `request_input_gradients=False` and `graph="autograd"` turn twins off.

    Compiled code runs eagerly on steps that are due, and stays compiled on all others. On those, each call of the recorder within compiled
    code breaks its graph.

    Calls made during a backward pass (in hooks, and in the recomputation of checkpointed blocks) are ignored: the forward pass has recorded
    the values.

    Args:
        comgra_root_path: Folder of all recordings. It is created if it is missing.
        group: Trials of one group are shown together. It becomes the name of a folder, in which each `/` is written as `%2F`.
        trial_id: Name of this run, as for `group`.
        decision_maker_for_recordings: The schedule. By default, steps 0 to 15 are recorded, and then steps at distances that grow by about
            a tenth: 42 of the first 200 steps, 59 of 1,000, and 131 of a million. They are the same in every run. If such a step belongs to
            another type of execution, the next step of this type is recorded.
        max_num_batch_size_to_record: How many samples of a batch keep their individual values, from the first on. None keeps all.
        prefixes_for_grouping_module_parameters_visually: Parameters whose full name begins with the same prefix share a column of the
            graph. More specific prefixes come first. By default all parameters share one column.
        prefixes_for_grouping_module_parameters_in_nodes: Parameters whose full name begins with the same prefix share a node of that name.
            More specific prefixes come first. By default each parameter has its own node.
        comgra_is_active: False turns everything off, and nothing is written to disk.
        max_num_mappings_to_save_at_once_during_serialization: Ignored. Accepted so that scripts for comgra run unchanged.
        type_of_serialization: Ignored, for the same reason.
        calculate_svd_and_other_expensive_operations_of_parameters: Whether to compute the largest singular value of matrices of
            parameters.
        every: Records every n-th step of each type of execution, in place of `decision_maker_for_recordings`: 1 for all steps.
        existing_trial: What to do if a recording with this name exists. `error` raises. `replace` deletes it, but refuses if its folder
            holds anything else. `rename` records as `TRIAL-2`, or under the next free number. All processes of a distributed run choose
            the same number, unless an earlier run of as many processes lacks some of its recordings. `append` continues the recording;
            steps that it already has from the first newly recorded step on are no longer shown. All but `rename` raise if a living process
            is writing to the recording, or if this process has a recorder for it that was not finalized and is still referred to.
        rank: The number of this process in a distributed run. Each process writes its own folder. By default the rank from
            `torch.distributed` if a process group was initialized, else RANK, else what other launchers set: LOCAL_RANK with NODE_RANK,
            SLURM_PROCID or OMPI_COMM_WORLD_RANK. Else 0.
        world_size: The number of processes. By default from the same source, or WORLD_SIZE, else 1.
        strict: Whether to raise `RecordingGapError` instead of recording a gap. Meant for tests.
        request_input_gradients: Whether to compute the gradients of registered tensors that require none, such as inputs. See above.
        graph: Where dependencies are read from. `data_flow` reads them from the PyTorch functions that are called, so it also sees
            tensors that carry no gradient. `autograd` reads them from autograd's graph. It costs less, but tensors that carry no gradient
            have no dependencies.
        sentinels: Whether to check every step, even those that are not due. A step is then recorded like one that is due if a registered
            tensor or the gradient of a parameter holds a NaN or an infinity for the first time, or is far larger than usual. Such steps
            are marked as triggered.
        source: Whether to record which line of the code made each tensor: the file, the line and the function. It is the innermost line
            of the project that led to the operation. For PyTorch's own modules, that is the line that calls them. File names are relative
            to the project, which is the repository of the script; files elsewhere are not named. Every bundle shows these lines, so they
            are off by default. `graph="autograd"` sees no calls, so it cannot be combined with `source`.
        check: Whether rules check the recording. True checks some rules as steps are written: exact ones, and the one about values that are
            not finite. A `ComgraFindingWarning` names the rule, the place, the step and the value, once for each rule and place. None
            reports only at the end: `finalize` writes the findings to standard error if that is a terminal. False does neither. Findings
            that are muted in `comgra-findings.toml` are left out.
        on_finding: Called with each `Finding` that there is a warning of. It needs `check=True`. The writing thread makes findings while
            the training goes on, so the call comes some steps later: in the training thread, at the end of a step (`finish_batch`; with
            `comgra_export.watch`, the step of the optimizer), in `flush`, or in `finalize`. An exception that it raises stops the training,
            and it is not called again. It is not called if another exception leaves the `with` block of the recorder. Every process of a
            distributed run checks what it records. If one of them stops, the others do not stop by themselves.
        durable: Whether every recorded step is on disk before the training goes on, so that a killed process loses no finished step.
            Triggered steps, and steps that end while an exception is being raised, are always written in this way. The operating system may
            still hold written data for some seconds; only a power failure loses it.

    Raises:
        TrialExistsError: The recording exists already, or is being written.
        MisuseError: An argument is not usable, or the folder cannot be written to.
        WrongChoiceError: With `check=True`, `comgra-findings.toml` is not valid.
    """

    def __init__(  # noqa: PLR0917  # The order of arguments is that of comgra.
        self,
        comgra_root_path: str | os.PathLike[str],
        group: str = "default",
        trial_id: str = "trial",
        decision_maker_for_recordings: DecisionMakerForRecordings | None = None,
        max_num_batch_size_to_record: int | None = None,
        prefixes_for_grouping_module_parameters_visually: Sequence[str] | None = None,
        prefixes_for_grouping_module_parameters_in_nodes: Sequence[str] | None = None,
        comgra_is_active: bool = True,
        max_num_mappings_to_save_at_once_during_serialization: int = 10000,  # noqa: ARG002
        type_of_serialization: str = "msgpack",  # noqa: ARG002
        calculate_svd_and_other_expensive_operations_of_parameters: bool = True,
        *,
        every: int | None = None,
        existing_trial: ExistingTrial = "error",
        rank: int | None = None,
        world_size: int | None = None,
        strict: bool = False,
        request_input_gradients: bool = True,
        graph: GraphSource = "data_flow",
        sentinels: bool = False,
        source: bool = False,
        check: bool | None = None,
        on_finding: Callable[[Finding], object] | None = None,
        durable: bool = False,
    ) -> None:
        max_samples = max_num_batch_size_to_record
        check_arguments(max_samples, graph, source)
        schedule = choose_schedule(decision_maker_for_recordings, every)
        visual_prefixes, node_prefixes = check_prefixes(
            prefixes_for_grouping_module_parameters_visually, prefixes_for_grouping_module_parameters_in_nodes
        )
        make_checker = make_checker_for(check, on_finding)
        self.comgra_is_active = comgra_is_active
        self.group, self.trial_id = group, trial_id
        self.folder = None
        self.notes: list[str] = []
        self._root = comgra_root_path
        output = None
        if comgra_is_active:
            rank, world_size = process_rank(rank, world_size)
            claimed = claim_folder(root_folder(comgra_root_path), group, trial_id, rank, world_size, existing_trial)
            self.trial_id, self.folder = claimed.trial, claimed.folder
            header = Header(
                group=group,
                trial=self.trial_id,
                rank=rank,
                world_size=world_size,
                prefixes_for_grouping_module_parameters_visually=visual_prefixes,
                max_num_batch_size_to_record=max_samples,
                checksums=True,
            )
            checker = None if make_checker is None else make_checker(claimed.folder, header)
            output = RecordingOutput(claimed, header, strict, checker, on_finding, durable=durable)
        self._output = output
        self._is_to_conclude = check is not False
        self._options = StepOptions(
            max_samples=max_samples,
            node_prefixes=node_prefixes,
            with_svd=calculate_svd_and_other_expensive_operations_of_parameters,
            request_gradients=request_input_gradients and graph == "data_flow",
            graph=graph,
            source_lines=SourceLines(project_folder()) if source and comgra_is_active else None,
        )
        self._training = TrainingState(ModuleRegistry(visual_prefixes))
        self._due_steps = DueSteps(schedule)
        self._curves = None if output is None else CurvePoints(output)
        self._order = order = CallOrder()
        unusual_steps = UnusualSteps() if sentinels else None
        self._recording = StepRecording(output, self._due_steps, self._training, self._options, unusual_steps)
        self._steps = StepLifecycle(output, order, self._recording, self._curves, watches_functions=graph == "data_flow")
        self._tracking = Tracking(output, self._training, order)
        self._detector: StepDetector | None = None
        self._removals: list[weakref.finalize[[], ComgraRecorder]] = []
        self._checks_updates = not sentinels
        self._update_check: UpdateCheck | None = None

    def __repr__(self) -> str:
        if self._output is None:
            return f"ComgraRecorder(inactive, group={self.group!r}, trial_id={self.trial_id!r})"
        doing, step = "between steps", self._steps.step
        if not self._steps.is_between_steps:
            how = "recording it" if self._steps.is_recording else "which is not recorded"
            doing = f"in {'' if step is None else step_in_words(step)}, {how}"
        return f"ComgraRecorder({str(self.folder)!r}, {self._output.steps_finished} steps recorded, {doing})"

    def __deepcopy__(self, memo: dict[int, Any]) -> ComgraRecorder:
        """The recorder itself: a model that holds it can be copied, and two recorders cannot write one recording."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process gets an inactive recorder: two processes cannot write one recording either."""
        return _inactive_recorder, (self.group, self.trial_id)

    def __enter__(self) -> ComgraRecorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._leave_evaluation()
        end = None if error is None else self._describe_end(error)
        if error is not None:
            if self._detector is not None:
                self._note_exception(error)
                self._detector.remove_hooks()
            self.abandon_batch()
            # The exception says more.
            self._steps.explains_missing_steps = False
        self._finalize(end)

    def track_module(self, module_name: str, module: nn.Module) -> None:
        """Registers a module and everything in it, so that its parameters are recorded.

        Args:
            module_name: Its name, without a dot. Its parameters are called `module_name.submodule.parameter`.
            module: The module. It may be wrapped by torch (compiled, distributed).

        Raises:
            MisuseError: A step is in progress, the name or the module is not usable or already known, or a lazy parameter has no shape yet.
        """
        self._leave_evaluation()
        self._tracking.track_module(module_name, module)

    def watch(
        self,
        module: nn.Module,
        name: str = "model",
        *,
        values: bool = False,
        histograms: bool = True,
        histogram_values: int | None = HISTOGRAM_VALUES,
    ) -> None:
        """Records the inputs and results of every call of a module, and of all modules in it, on recorded steps.

        The page shows these tensors like registered ones, as `model.encoder: output` or `model: input x`, in the iteration in which the
        call is made. A further call of the same module in that iteration is `model.encoder (call 2)`. The first dimension counts as the
        batch dimension if it has the size `current_batch_size`. A tensor that is already registered is shown only once, under its own name.
        You can also call `register_tensor` within the module; what it says about a tensor takes precedence.

        Args:
            module: The module. It is tracked, unless it is tracked already.
            name: As for `track_module`.
            values: Whether every value of the recorded samples is kept, and not only statistics.
            histograms: Whether there is a histogram of each of these tensors, of the parameters of the module, and of their gradients.
            histogram_values: How many values of a tensor its histogram counts, at most. A larger tensor is sampled at even distances.
                None counts all values.

        Raises:
            MisuseError: A step is in progress, the module is already watched, `histogram_values` is not a positive integer, or any reason
                of `track_module`.
        """
        self._leave_evaluation()
        self._tracking.watch(module, name, values=values, histograms=histograms, histogram_values=histogram_values)

    def get_name_of_module(self, module: nn.Module) -> str:
        """The full dotted name of a module, as `track_module` gave it.

        Raises:
            MisuseError: The module is not part of a tracked one.
        """
        return self._training.modules.name_of(module)

    def track_optimizers(self, *optimizers: object, **named: object) -> None:
        """Records which parameters the optimizers hold, with which settings, and from now on their learning rates.

        Args:
            *optimizers: Optimizers. Each gets the name of its class.
            **named: Optimizers by name: `track_optimizers(generator=adam, critic=sgd)`.

        Raises:
            MisuseError: A step is in progress, or an argument is not an optimizer, is already tracked, or has a name that is taken.
        """
        self._leave_evaluation()
        self._tracking.track_optimizers(*optimizers, **named)

    def track_grad_scaler(self, grad_scaler: object) -> None:
        """Takes the scaler of mixed-precision training, so that gradients are recorded without the factor of the loss.

        Args:
            grad_scaler: A `torch.amp.GradScaler`, or something that has `get_scale()`.

        Raises:
            MisuseError: It is not a scaler, or a scaler is already tracked.
        """
        self._training.scalers.track(grad_scaler)

    def set_config(self, values: object) -> None:
        """Records the hyperparameters of the run, which the page shows. May be called at any time before `finalize`, several times.

        Numbers, booleans, strings and None are kept. What is nested gets names with dots: `optimizer.lr`. Anything else is its `repr`, a
        tensor or an array its shape, and a path its last part only. Names and texts are cut after 1,000 characters, and there are at
        most 1,000 values. A value that cannot be read is left out, which is a gap.

        Args:
            values: A mapping such as a dictionary, an `argparse.Namespace`, or an instance of a dataclass. Values of the same name are
                replaced, and all others stay, even those of an earlier process if the recording is continued.

        Raises:
            MisuseError: It is none of these.
        """
        if self._output is not None:
            record_config(self._output, values)

    def set_epoch(self, number: float) -> None:
        """Sets the epoch of the steps that begin from now on, whatever their type. It can be the axis of what is shown over time.

        Args:
            number: Any finite number: 0, 1, 2, ..., or a fraction for a part of an epoch. A later number need not be greater.

        Raises:
            MisuseError: It is not a finite number.
        """
        self._steps.set_epoch(number)

    def recording_is_active(self) -> bool:
        """Whether a step is in progress and being recorded, or may turn out to be.

        Between steps, it is still as it was in the last step that was finished, and True before the first step: what is recorded there,
        such as a point of a curve, belongs to these. If the recorder finds its steps itself, nothing is active between them.
        """
        if self._recording.step is not None:
            return True
        return self._detector is None and self._output is not None and self._order.stage == "inactive" and self._order.was_recorded

    def start_batch(
        self,
        training_step: int,
        current_batch_size: int,
        type_of_execution: str | None = "main_execution_type",
        record_all_tensors_per_batch_index_by_default: bool = True,
        override__recording_is_active: bool | None = None,
        *,
        category_per_sample: Sequence[object] | None = None,
        sample_ids: Sequence[object] | None = None,
    ) -> None:
        """Begins a training step. Every call that begins, ends or decides something within it has to be made in the same thread.

        Args:
            training_step: Its number; greater than that of the step before, whatever its type. Numbers below 0, for what comes before
                the training, become those of evaluations before training, in their order, with a warning.
            current_batch_size: `B` of this step.
            type_of_execution: Name of a category of steps, of letters, digits, `-` and `_`. Each type is scheduled, and can be selected, on
                its own. None: the type is not known yet, and `decide_recording_of_batch` will say it. Until then the step is held back: the
                recorder keeps references to what is registered, and copies what is small or about to be overwritten.
            record_all_tensors_per_batch_index_by_default: What `record_per_batch_index` of `register_tensor` is if it is not given.
            override__recording_is_active: True or False records or leaves out this step, whatever the schedule says.
            category_per_sample: A category for each sample of the batch. Samples are then recorded from all categories in turn, not
                from the first on.
            sample_ids: An id for each sample of the batch, such as its index in the data set, by which it can be found again.

        Raises:
            MisuseError: The step before is not finished, or an argument is not usable.
        """
        self._leave_evaluation()
        self._steps.start_batch(
            training_step,
            current_batch_size,
            type_of_execution,
            per_sample_by_default=record_all_tensors_per_batch_index_by_default,
            override=override__recording_is_active,
            categories=category_per_sample,
            ids=sample_ids,
        )

    def decide_recording_of_batch(
        self,
        type_of_execution: str | None,
        category_per_sample: Sequence[object] | None = None,
        *,
        sample_ids: Sequence[object] | None = None,
    ) -> None:
        """Gives the type of a step that began with `type_of_execution=None`, which decides whether the step is recorded.

        Call it before `record_current_gradients`. If the step is not due, everything that was held back of it is dropped. If `start_batch`
        already got the type, this does nothing.

        Args:
            type_of_execution: As for `start_batch`. None leaves the step out.
            category_per_sample: As for `start_batch`.
            sample_ids: As for `start_batch`.

        Raises:
            MisuseError: No step is in progress in this thread, an argument is not usable, or `start_batch` got another type.
        """
        self._steps.decide(type_of_execution, category_per_sample, sample_ids)

    def declare_that_all_different_types_of_execution_have_been_encountered(self) -> None:
        """Declares that all types have occurred. From now on, a step of unknown type is held back only if a known type is due."""
        self._due_steps.declare_all_types_known()

    def start_iteration(self) -> None:
        """Begins the next iteration of the step. Most networks have one per step; recurrent ones may have many.

        Raises:
            MisuseError: No step is in progress in this thread, or the iteration before is not finished.
        """
        self._steps.start_iteration()

    def finish_iteration(self) -> None:
        """Ends the iteration, and builds its dependency graph.

        Raises:
            MisuseError: No iteration is in progress in this thread, or the nodes and connections of the graph contradict each other.
        """
        self._steps.finish_iteration()

    def finish_batch(self) -> None:
        """Ends the step: writes it, and gives back whatever was borrowed of the user's tensors.

        Raises:
            MisuseError: No step is in progress in this thread. Or the step is recorded, and an iteration is still in progress, or the step
                had none.
        """
        is_active = self._recording.step is not None
        self._steps.finish_batch()
        self._steps.training_steps.end_step(self._recording.type_of_execution, is_active=is_active)
        self._steps.deliver_findings()

    def abandon_batch(self) -> None:
        """Drops the step in progress, if there is one. Any thread may call it.

        Nothing of the step is written, and its number may be used again. Notes and points of curves stay. If the step is run again, these
        points are kept as they are. No hook or flag stays behind, but if another thread than that of `start_batch` calls it, an idle
        PyTorch mode stays in that thread.
        """
        self._steps.abandon_batch()

    @contextmanager
    def batch(
        self,
        training_step: int,
        current_batch_size: int,
        type_of_execution: str | None = "main_execution_type",
        record_all_tensors_per_batch_index_by_default: bool = True,
        override__recording_is_active: bool | None = None,
        *,
        category_per_sample: Sequence[object] | None = None,
        sample_ids: Sequence[object] | None = None,
    ) -> Iterator[None]:
        """`start_batch` and `finish_batch` as a context manager, with the same arguments.

        If the body raises, the step is dropped and the exception propagates.
        """
        self.start_batch(
            training_step,
            current_batch_size,
            type_of_execution,
            record_all_tensors_per_batch_index_by_default,
            override__recording_is_active,
            category_per_sample=category_per_sample,
            sample_ids=sample_ids,
        )
        try:
            yield
            # The body may have dropped the step, and caught the exception for which it did.
            if not self._steps.is_between_steps:
                self.finish_batch()
        except BaseException:
            self.abandon_batch()
            raise

    @property
    def iteration(self) -> CurrentIteration:
        """The number of the iteration in progress, or of the last one of this step. It can be called to begin the next one.

        `with recorder.iteration():` is `start_iteration` and `finish_iteration` as a context manager. If the body raises, the whole step is
        dropped and the exception propagates.

        As a number, it counts from 0, and it is -1 before the first iteration of a step and in steps that are not recorded.
        """
        return CurrentIteration.of(self._order.iteration, self._iterate)

    @contextmanager
    def _iterate(self) -> Iterator[None]:
        if is_running_backwards():
            # Recomputation ends with an exception of torch's own as soon as it has what it needs.
            yield
            return
        self.start_iteration()
        try:
            yield
            # The body may have dropped the step, and caught the exception for which it did.
            if not self._steps.is_between_steps:
                self.finish_iteration()
        except BaseException:
            self.abandon_batch()
            raise

    def step(self) -> None:
        """Ends the training step in progress. Only for a recorder that detects its steps itself: one made by `comgra_export.watch`.

        Call it at the end of a training step if an optimizer's update does not mark that end: for example, if several optimizers update
        parameters in a step, or if the optimizer is not PyTorch's. From the first call on, optimizers no longer end training steps.

        Raises:
            MisuseError: The script begins steps with `start_batch`, or a watched module is running.
        """
        if self._output is None:
            return
        if self._detector is None:
            raise MisuseError(
                "step: only a recorder made by comgra_export.watch detects steps by itself. To end a step that start_batch began, call "
                "finish_batch."
            )
        self._detector.step()

    @contextmanager
    def forward_pass(self, type_of_evaluation: str | None = "eval") -> Iterator[None]:
        """Combines all calls of watched modules in its body into one pass. Only for a recorder made by `comgra_export.watch`.

        In a training step, a pass is one iteration, or several if the whole watched module is called several times. Calls that do not train
        form one evaluation, even if they are calls of submodules::

            with recorder.forward_pass("validate"):
                loss = criterion(model.decoder(model.encoder(x)), x)

        Args:
            type_of_evaluation: The type of execution of an evaluation. None leaves it out, as for the rollouts of reinforcement learning.

        Raises:
            MisuseError: The script begins steps with `start_batch`, a pass is already in progress, or the type is not usable.
        """
        if self._output is None:
            yield
            return
        if self._detector is None:
            raise MisuseError(
                "forward_pass: only a recorder made by comgra_export.watch detects steps by itself. With start_batch, use iteration."
            )
        if type_of_evaluation is not None:
            check_type_of_execution(type_of_evaluation)
        self._detector.begin_pass(type_of_evaluation)
        try:
            yield
        finally:
            # The body may have finalized the recorder.
            if self._detector is not None:
                self._detector.end_pass()

    def finalize(self) -> None:
        """Ends the recording. May be called more than once.

        A step in progress is dropped, with a warning if it was being recorded. If the recorder detects steps itself, the step is recorded
        instead, provided that a backward pass ran in it. There is also a warning if calls were made and no step was recorded.
        """
        self._finalize()

    def _finalize(self, end: SessionEnd | None = None) -> None:
        """`end` is there after an exception: what the journal says about it."""
        detector, self._detector = self._detector, None
        if detector is not None:
            if end is None:
                detector.close()
            self._steps.training_steps.add_detected(detector.trained)
        check, self._update_check = self._update_check, None
        if check is not None:
            check.finish()
        # From here on, nothing is left to do when the recorder goes: an interrupt that came then would be swallowed.
        for remove in self._removals:
            remove()
        sentence = self._steps.close(end)
        if sentence is not None:
            warnings.warn(f"finalize: {sentence}", ComgraRecordingWarning, stacklevel=level_of_user())
        try:
            self._steps.deliver_findings(to_user=end is None)
        finally:
            if self._is_to_conclude and self._output is not None:
                self._is_to_conclude = False
                conclude(self._output)

    def flush(self) -> None:
        """Waits until every finished step, or its gap, is on the disk."""
        if self._output is not None:
            self._leave_evaluation()
            self._output.flush()
            self._output.deliver_findings()

    def add_note(self, note: object) -> None:
        """Adds a line of text to the trial's notes, even on steps that are not recorded.

        Args:
            note: Anything; its `str()` is kept.
        """
        if self._output is not None and not is_running_backwards():
            text = str(note)
            self.notes.append(text)
            self._output.add_note(Note(text, self._steps.step))

    def record_kpi_in_graph(
        self,
        kpi_group: str,
        kpi_name: str,
        val: float | Tensor,
        timepoint: float | None = None,
        record_even_if_recording_is_inactive: bool = False,
        *,
        type_of_execution: str | None = None,
    ) -> None:
        """Adds a point to a curve. There is a curve per group, type of execution and name; `CurveThinning` says which points are kept.

        Args:
            kpi_group: Name of the chart.
            kpi_name: Name of the curve.
            val: Its value: a number, or a tensor with one element. Non-finite values are kept as they are. A value on a CUDA device is
                read when the step is finished, or at once outside a step.
            timepoint: The number of the step that the point belongs to, which is what charts count. By default that of the step in
                progress, else of the last one; before the first one, 0. Leave it out for a value per epoch, too, or give the last step of
                the epoch: the number of an epoch would be taken for that of a step. A point that is not behind the last one of its curve,
                such as a further one of the same step, is kept directly behind it: a millionth later.
            record_even_if_recording_is_inactive: Whether to add it also on a step that is not recorded. Before the first step, it is
                added in any case.
            type_of_execution: By default that of the step. A point between steps may belong to another one, such as the mean loss of an
                epoch of training that is known after an evaluation.

        Raises:
            MisuseError: A name or the type is not usable, or the value or the timepoint not a number; or no step is in progress, and the
                type of the last one was never given.
        """
        # `is_due` is None as long as it is not known whether the step is due. Before the first step, nothing says that it is not.
        is_wanted = self._recording.is_due is not False or record_even_if_recording_is_inactive or self._steps.step is None
        if is_wanted and self._curves is not None:
            if type_of_execution is None:
                type_of_execution = self._recording.type_of_execution
            else:
                check_type_of_execution(type_of_execution)
            if type_of_execution is None and self._steps.step is None:
                type_of_execution = "main_execution_type" if self._detector is None else "train"
            self._steps.call(
                self._curves.take,
                kpi_group,
                kpi_name,
                val,
                timepoint,
                record_even_if_recording_is_inactive,
                step=self._steps.step,
                type_of_execution=type_of_execution,
                is_between_steps=self._steps.is_between_steps,
            )

    @_on_recorded_steps
    def register_tensor(  # noqa: PLR0917  # The order of arguments is that of comgra.
        self,
        tensor_name: str,
        tensor: Tensor,
        index_of_batch_dimension: int | None = 0,
        is_input: bool = False,
        is_parameter: bool = False,
        is_target: bool = False,
        is_loss: bool = False,
        recording_type: str | None = None,
        record_per_batch_index: bool | None = None,
        node_name: str | None = None,
        role_within_node: str | int | None = None,
        is_initial_value: bool = False,
    ) -> None:
        """Records a tensor with the values that it has now, and shows it in the dependency graph. Outside a recorded step, does nothing.

        Register a tensor where it is made, before it is used: its gradient and its connections can be seen from then on. The same
        tensor may be registered under several names, which then share their numbers.

        Args:
            tensor_name: Unique in the iteration; without `*`, and not beginning with `node__`.
            tensor: The tensor.
            index_of_batch_dimension: Which dimension has the size `current_batch_size`; None if there is none. Ignored for losses,
                parameters and tensors without dimensions: they have none.
            is_input: An input of the network. At most one of the four roles; without one, the tensor is `calculated`.
            is_parameter: A parameter outside the tracked modules.
            is_target: A target of the network.
            is_loss: A loss; one number.
            recording_type: `neuron` (statistics and values, the default), `kpis` (statistics only) or `single_value` (one number).
                `kpis_and_svd` is for matrices without a batch dimension.
            record_per_batch_index: Whether samples are recorded one by one. By default as `start_batch` says.
            node_name: Tensors with the same name here share a node of the graph. By default each has its own.
            role_within_node: Distinguishes the tensors of a node: any text, or a number, kept as text. By default the tensor's name.
            is_initial_value: For the initial value of a hidden state, between `start_batch` and `start_iteration`.

        Raises:
            MisuseError: An argument is not usable, contradicts another or what was registered before; or it is not the time for this
                call.
        """
        assert self._recording.step is not None
        register_tensor(
            self._recording.step,
            self._order,
            tensor_name,
            tensor,
            index_of_batch_dimension=index_of_batch_dimension,
            is_input=is_input,
            is_parameter=is_parameter,
            is_target=is_target,
            is_loss=is_loss,
            recording_type=recording_type,
            record_per_batch_index=record_per_batch_index,
            node=node_name,
            role=role_within_node,
            is_initial_value=is_initial_value,
            parameters_with_svd=self._options.with_svd,
        )

    @_on_recorded_steps
    def add_tensor_connection(self, src: Connectable, sink: Connectable) -> None:
        """Shows a dependency that autograd does not know of: the sink depends on the source.

        Args:
            src: A tensor, the name of a registered tensor (the newest iteration wins), or a `TensorReference`.
            sink: A tensor, a name or a `TensorReference`, as for `src`.

        Raises:
            MisuseError: A name is not known, or both are the same tensor. `finish_iteration` finds loops, and raises then.
        """
        assert self._recording.step is not None
        self._recording.step.registrar.connect(src, sink)

    def detach_while_keeping_connection(self, tensor: Tensor) -> Tensor:
        """Detaches a tensor from autograd, but not from the dependency graph.

        Args:
            tensor: Any tensor, registered or not.

        Returns:
            `tensor.detach()`, which requires a gradient of its own if its dtype can have one. In compiled code, it does not.
        """
        detached = tensor.detach()
        if not torch.compiler.is_compiling():
            require_gradient(detached)
        self.add_tensor_connection(tensor, detached)
        return detached

    def record_current_gradients(self, name_of_loss_group: str, set_gradients_to_zero_if_not_a_parameter: bool = False) -> None:
        """Records the gradients of all registered tensors and tracked parameters as they are now. Call it after `backward()`.

        The gradient of a parameter is its `.grad`. That of another tensor is the sum over all backward passes of this step, as your own
        hooks have left it that were registered before the tensor was. A missing gradient counts as zeros, and is marked as absent.

        Args:
            name_of_loss_group: Under which name to record them; one per call of a step.
            set_gradients_to_zero_if_not_a_parameter: Whether to forget them afterwards, so that the next call sees only what comes
                then.

        Raises:
            MisuseError: The name is not usable or taken, no iteration was started, or the type of the step is not known yet.
        """
        self._steps.record_gradients(name_of_loss_group, set_gradients_to_zero_if_not_a_parameter)

    @_on_recorded_steps
    def record_gradient_flow(
        self,
        loss: Tensor,
        layers: Mapping[str, Tensor] | Sequence[str],
        *,
        name: str = "gradient flow",
        samples: Sequence[int] | None = None,
        batch_dimension: int | None = 0,
        max_flows: int = 4_000_000,
        max_memory: int = 256_000_000,
        progress: ShowProgress = True,
    ) -> None:
        """Records how much of the gradient of each layer comes through which element of the next.

        For neighbours `x` and `y`, the flow from `x_i` to `y_j` is `(dy_j / dx_i) * (dL / dy_j)`, within a sample. Call it after the
        forward pass and before `loss.backward()`, which frees the graph that it needs. It computes a vector-Jacobian product for every
        element of `y` that has a gradient. Several elements share one product if autograd's graph proves that they can, as in a
        convolution. This takes time: it is made for one flow on a few steps. If a network is spread over several processes, nothing is
        computed, which is a gap.

        It changes no gradient, flag or random number. Your own hooks on tensors between the layers are called for every product, as in any
        backward pass, and so are the backward passes of your own functions. Nothing is computed as long as it is not known whether the step
        is recorded (its type comes later, or it is only checked for what is unusual). If it is recorded after all, a gap says that the flow
        is missing.

        Args:
            loss: `L`: one number. If a scaler multiplies it, give it as it was before.
            layers: Names of tensors that are registered or watched in this iteration, such as `model.conv1: output`, or a dictionary of
                names and tensors. Two or more, in the order in which they are computed. What a module returned may be named by that module
                or by the part of it that made it. What is computed in place overwrites a tensor, but not its flows. A layer is left out,
                which is a gap, if the loss does not depend on it, or if it does not follow the one before.
            name: Name of the flow; one per step.
            samples: Positions in the batch. By default the first sample that is recorded one by one.
            batch_dimension: Which dimension of all layers is that of the batch; None if they have none.
            max_flows: How many flows at most there are between two layers. Those into the elements of `y` with the largest gradients come
                first, and the recording says which are missing.
            max_memory: How many bytes a block of products may take, as far as the sizes of the two layers tell. Besides, a flow takes about
                50 bytes until all are there.
            progress: Whether to show a progress bar on the standard error, if that is a terminal, once it takes longer than a second. A
                function instead is called after every block, with how many products are done and how many there are.

        Raises:
            MisuseError: An argument is not usable; a layer is not registered, holds no real floating-point numbers, requires no gradient or
                comes before one that it is computed from; the graph is gone; or it is not called within an iteration.
        """
        assert self._recording.step is not None
        self._order.check_gradient_flow()
        limits = FlowLimits(max_flows, max_memory)
        self._recording.step.record_gradient_flow(
            FlowRequest(loss, layers, name=name, samples=samples, batch_dimension=batch_dimension, limits=limits, progress=progress)
        )

    def _describe_end(self, error: BaseException) -> SessionEnd:
        """What the journal says about an exception that leaves the context."""
        return SessionEnd() if _is_plain_exit(error) else self._steps.end_with(describe_error(error, MAX_ERROR))

    def _note_exception(self, error: BaseException) -> None:
        """Notes which exception ended a run whose script does not call the recorder."""
        if self._output is not None and not _is_plain_exit(error):
            step = self._steps.step
            preposition = "after" if self._steps.is_between_steps else "in"
            where = "before the first step" if step is None else f"{preposition} {step_in_words(step)}"
            with self._output.gaps.guard("note", "the exception that ended the run could not be noted", step=step):
                how = "stopped by on_finding" if self._output.is_stop(error) else f"ended by {describe_error(error)}"
                module = module_that_raised(error, self._training.modules)
                raised = "" if module is None else f", raised in `{module}`"
                self._output.add_note(Note(f"{how} {where}{raised}", step))

    def _leave_evaluation(self) -> None:
        """Ends an evaluation that the recorder has found itself, if its call has returned."""
        if self._detector is not None:
            self._detector.end_evaluation()

    def _detect_steps(self, first_step: int | None, batch_size: BatchSize = None) -> None:
        """Begins to detect steps, as `comgra_export.watch` says. The first training step has this number."""
        if self._output is not None:
            first_step = self._output.next_training_step() if first_step is None else first_step
            last_step = self._output.last_step_before(first_step)
            detector = StepDetector(weakref.ref(self._steps), self._training.watched, self._output.gaps, first_step, last_step, batch_size)
            self._detector = detector
            self._remove_when_gone(detector.remove_hooks)
            if self._checks_updates:
                self._update_check = check = check_updates(weakref.ref(self._steps), weakref.ref(detector), self._training, self._output)
                detector.keeps_calls = True
                self._remove_when_gone(check.remove_hook)

    def _remove_when_gone(self, remove: Callable[[], None]) -> None:
        """Calls a function at the end: in `finalize`, or else when nobody refers to the recorder any more."""
        removal = weakref.finalize(self, remove)
        removal.atexit = False
        self._removals.append(removal)


def _is_plain_exit(error: BaseException) -> bool:
    """Whether it is `exit()` without trouble."""
    return isinstance(error, SystemExit) and error.code in (None, 0)


def _inactive_recorder(group: str, trial_id: str) -> ComgraRecorder:
    return ComgraRecorder("", group, trial_id, comgra_is_active=False)
