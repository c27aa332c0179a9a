"""The recorder that a training script calls."""

from __future__ import annotations

import os
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec

from torch import Tensor

from comgra_export.errors import MisuseError
from comgra_export.recorder.flows.pairs import FlowLimits
from comgra_export.recorder.flows.progress import ShowProgress
from comgra_export.recorder.flows.record import FlowRequest
from comgra_export.recorder.host.gaps import ComgraRecordingWarning
from comgra_export.recorder.host.isolation import is_running_backwards
from comgra_export.recorder.host.sharding import NoLocalPartError, local_part
from comgra_export.recorder.modules.registry import ModuleRegistry
from comgra_export.recorder.modules.training_state import TrainingState
from comgra_export.recorder.output.recording_output import RecordingOutput
from comgra_export.recorder.output.trial_folder import ExistingTrial, claim_folder, process_rank
from comgra_export.recorder.sentinels.unusual_steps import UnusualSteps
from comgra_export.recorder.session.arguments import check_arguments, root_folder
from comgra_export.recorder.session.lifecycle import StepCourse
from comgra_export.recorder.session.prefixes import check_prefixes
from comgra_export.recorder.session.schedules import Agenda, DecisionMakerForRecordings, DecisionMakerForRecordingsFrequencyPerType
from comgra_export.recorder.session.step_detection import FoundSteps
from comgra_export.recorder.step.options import GraphSource, StepOptions
from comgra_export.recorder.tracing.registered_tensors import Connectable
from comgra_export.recorder.tracing.registrations import INITIAL_ITERATION, check_name, describe_tensor
from comgra_export.storage.model import Header, Note

__all__ = ["ComgraRecorder"]

_Arguments = ParamSpec("_Arguments")


def _on_recorded_steps(
    method: Callable[Concatenate[ComgraRecorder, _Arguments], None],
) -> Callable[Concatenate[ComgraRecorder, _Arguments], None]:
    """Lets a method of the recorder return at once outside of recorded steps, and count only where calls count."""

    @wraps(method)
    def guarded(self: ComgraRecorder, /, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> None:
        if self._recording.step is not None:
            self._call(method, self, *arguments, **named)
        else:
            self._was_called_in_vain = True

    return guarded


class ComgraRecorder(StepCourse):
    """Records what happens inside a network while it is trained.

    The calls of a training step, in order; on a step that the schedule leaves out, each returns at once::

        recorder.track_module("model", model)                # once, before the first step
        recorder.start_batch(step, batch_size)
        recorder.start_iteration()
        recorder.register_tensor("x", x, is_input=True)      # where the tensor is made, before it is used
        ...
        recorder.record_current_gradients("gradients")       # after loss.backward()
        recorder.finish_iteration()
        recorder.finish_batch()
        recorder.finalize()                                  # once, at the end

    `with recorder.batch(step, batch_size):` and `with recorder.iteration():` do the same, and drop the step if their body raises. As a
    context, the recorder finalizes itself.

    Recording is a guest: it changes no result, no random number and no gradient of a parameter. A wrong call raises `MisuseError`; what
    cannot be recorded for another reason (an unusual tensor, a full disk) is noted in the recording as a gap, with one
    `ComgraRecordingWarning` per kind.

    On recorded steps, the functions of PyTorch that are called between `start_batch` and `finish_batch` are traced: what was computed from
    what, also where no gradient flows (`detach`, `torch.no_grad`, integers, evaluation mode), whatever is registered first. What is
    computed elsewhere (scripted modules, extensions, other threads) is filled in from autograd's graph, as far as there is one.

    A registered floating-point tensor that requires no gradient, such as an input, has one all the same: the recorder computes with a twin
    of it that requires a gradient, and the script never sees that twin. The tensors of the script keep their flags, and can be used as
    ever; they should be registered before they are used. Parameters (frozen ones included), buffers, and what is registered under
    `torch.no_grad()` get no twin. A gradient that is lost, since it would have to pass through a `torch.autograd.Function`, a scripted
    module or a block that is checkpointed, is absent; where this is noticed, a gap says why. `request_input_gradients=False` does
    without twins, and so does `graph="autograd"`.

    Compiled code runs eagerly on steps that are due, and as compiled on all others (with PyTorch 2.6 or newer). On those, each call of
    the recorder within it breaks its graph.

    Calls made while autograd runs backwards (in hooks, and in the recomputation of checkpointed blocks) are ignored: the forward pass has
    recorded the values.

    Args:
        comgra_root_path: Folder of all recordings; made if missing.
        group: Trials of one group are shown together. A folder name.
        trial_id: Name of this run. A folder name.
        decision_maker_for_recordings: The schedule. By default every type of execution is recorded at its first step, 105 steps later, and
            then at distances that grow by 5 % each time.
        max_num_batch_size_to_record: How many samples of a batch are recorded one by one, from the first; None records all.
        prefixes_for_grouping_module_parameters_visually: Parameters whose full name begins with the same prefix share a column of the
            graph. More specific prefixes come first. By default one column for all.
        prefixes_for_grouping_module_parameters_in_nodes: Likewise, for one node of that name. By default a node for each.
        comgra_is_active: False turns everything off; nothing touches the disk.
        max_num_mappings_to_save_at_once_during_serialization: Ignored. Accepted so that scripts for comgra run unchanged.
        type_of_serialization: Ignored, likewise.
        calculate_svd_and_other_expensive_operations_of_parameters: Whether to compute the largest singular value of matrices of
            parameters.
        existing_trial: What to do where there is a recording of this name already: `error` raises, `replace` deletes it (and refuses if
            its folder holds anything else), `rename` records as `TRIAL-2`, or the next number that is free. The processes of a
            distributed run find the same number, unless a run before of as many processes lacks some of its recordings. `append` goes on
            with that recording: what it has from the first step recorded now on is left behind. Where a living process writes to the
            recording, or a recorder of this one that was not finalized and that something still refers to, all but `rename` raise.
        rank: Which process of a distributed run this is; each writes a folder of its own. By default RANK, as `torchrun` sets it, else
            0.
        world_size: How many processes there are. By default WORLD_SIZE, likewise, else 1.
        strict: Whether to raise `RecordingGapError` for what would be a gap. Meant for tests.
        request_input_gradients: Whether to compute the gradients of registered tensors that require none, such as inputs. See above.
        graph: Where dependencies are read from. `data_flow`: the functions of PyTorch that are called, so that also what carries no
            gradient is seen. `autograd`: autograd's graph; it costs less, and what carries no gradient has no dependencies.
        sentinels: Whether to look at every step, also those that are not due, and to record a step in full when a registered tensor or
            the gradient of a parameter holds a NaN or an infinity for the first time, or is far larger than usual. Such steps are marked
            as triggered.

    Raises:
        TrialExistsError: There is a recording already, or one is being written.
        MisuseError: An argument is not usable, or the folder cannot be written to.
    """

    def __init__(
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
        existing_trial: ExistingTrial = "error",
        rank: int | None = None,
        world_size: int | None = None,
        strict: bool = False,
        request_input_gradients: bool = True,
        graph: GraphSource = "data_flow",
        sentinels: bool = False,
    ) -> None:
        max_samples, schedule = max_num_batch_size_to_record, decision_maker_for_recordings
        check_arguments(max_samples, graph, schedule)
        visual_prefixes, node_prefixes = check_prefixes(
            prefixes_for_grouping_module_parameters_visually, prefixes_for_grouping_module_parameters_in_nodes
        )
        self.comgra_is_active = comgra_is_active
        self.group, self.trial_id = group, trial_id
        self.folder: Path | None = None
        self._found_steps: FoundSteps | None = None
        self._was_called_in_vain = self._is_told_what_is_missing = False
        output = None
        if comgra_is_active:
            rank, world_size = process_rank(rank, world_size)
            root = root_folder(comgra_root_path)
            claimed = claim_folder(root, group, trial_id, rank, world_size, existing_trial)
            self.trial_id, self.folder = claimed.trial, claimed.folder
            header = Header(
                group=group,
                trial=self.trial_id,
                rank=rank,
                world_size=world_size,
                prefixes_for_grouping_module_parameters_visually=visual_prefixes,
                max_num_batch_size_to_record=max_samples,
            )
            output = RecordingOutput(claimed, header, strict)
        super().__init__(
            output,
            Agenda(schedule or DecisionMakerForRecordingsFrequencyPerType(100, 1.05)),
            TrainingState(ModuleRegistry(visual_prefixes)),
            StepOptions(
                max_samples=max_samples,
                node_prefixes=node_prefixes,
                with_svd=calculate_svd_and_other_expensive_operations_of_parameters,
                request_gradients=request_input_gradients and graph == "data_flow",
                graph=graph,
            ),
            UnusualSteps() if sentinels else None,
        )

    def __repr__(self) -> str:
        if self._output is None:
            return f"ComgraRecorder(inactive, group={self.group!r}, trial_id={self.trial_id!r})"
        doing = "between steps"
        if self._order.stage != "inactive":
            doing = f"in step {self._order.step}, {'recording it' if self._recording.step is not None else 'which is not recorded'}"
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
        if error is not None:
            if self._found_steps is not None:
                self._found_steps.remove_hooks()
                self._found_steps = None
            self.abandon_batch()
            # The exception says more.
            self._is_told_what_is_missing = True
        self.finalize()

    def step(self) -> None:
        """Ends the training step in progress, for a recorder that finds its steps itself: one made by `comgra_export.watch`.

        Call it after the step of the optimizer, where that does not end a training step: where several optimizers make theirs, say, or
        one that is not PyTorch's. From the first call on, optimizers end no training step any more.

        Raises:
            MisuseError: This recorder is told of its steps by `start_batch`, or a watched module is running.
        """
        if self._output is None:
            return
        if self._found_steps is None:
            raise MisuseError(
                "step: only a recorder made by comgra_export.watch finds its steps itself. To end one that start_batch began, call "
                "finish_batch."
            )
        self._found_steps.step()

    def _find_steps(self, first_step: int) -> None:
        """Begins to find steps, as `watch` says. The first training step has this number."""
        if self._output is not None:
            last_step = self._output.last_step_before(first_step)
            found = self._found_steps = FoundSteps(weakref.ref(self), self._training.watched, self._output.gaps, first_step, last_step)
            # Where nobody finalizes the recorder.
            weakref.finalize(self, found.remove_hooks).atexit = False

    def finalize(self) -> None:
        """Ends the recording. May be called more than once.

        A step in progress is dropped, with a warning if it was being recorded. Where steps are found, it is recorded if a backward pass
        ran in it. A recording to which there were calls, and that has no step, is worth a warning too.
        """
        found, self._found_steps = self._found_steps, None
        if found is not None:
            found.close()
        lost = None if self._recording.step is None or not self._recording.is_due else self._order.step
        self.abandon_batch()
        if self._output is not None:
            self._output.close()
        sentence = None if self._is_told_what_is_missing else self._why_there_is_no_step()
        self._is_told_what_is_missing = True
        if lost is not None:
            sentence = f"step {lost} is not finished, so it is not in the recording. Call finish_batch before finalize."
        if sentence is not None:
            warnings.warn(f"finalize: {sentence}", ComgraRecordingWarning, stacklevel=2)

    def flush(self) -> None:
        """Waits until every step that was finished is on the disk, or its gap is."""
        if self._output is not None:
            self._output.flush()

    def add_note(self, note: object) -> None:
        """Adds a line of text to the trial's notes, also on steps that are not recorded.

        Args:
            note: Anything; its `str()` is kept.
        """
        if self._output is not None and not is_running_backwards():
            self._output.add_note(Note(str(note), self._order.step))

    def record_kpi_in_graph(
        self,
        kpi_group: str,
        kpi_name: str,
        val: float | Tensor,
        timepoint: float | None = None,
        record_even_if_recording_is_inactive: bool = False,
    ) -> None:
        """Adds a point to a curve. There is a curve per group, type of execution and name; `CurveThinning` says which points are kept.

        Args:
            kpi_group: Name of the chart.
            kpi_name: Name of the curve.
            val: Its value: a number, or a tensor with one element. Non-finite values are kept as they are. What is on a CUDA device is
                read when the step is finished, or at once outside of a step.
            timepoint: Finite, not negative, greater than the last one of this curve. By default the training step.
            record_even_if_recording_is_inactive: Whether to add it also on a step that is not recorded.

        Raises:
            MisuseError: A name is no string, the value no number, the timepoint not as described; or there was no `start_batch` yet; or no
                step is in progress, and the type of the last one was never told.
        """
        # Where it is not known yet whether the step is due, it is None.
        if (self._recording.is_due is not False or record_even_if_recording_is_inactive) and self._curves is not None:
            self._call(
                self._curves.take,
                kpi_group,
                kpi_name,
                val,
                timepoint,
                record_even_if_recording_is_inactive,
                step=self._order.step,
                type_of_execution=self._recording.type_of_execution,
                is_between_steps=self._order.stage == "inactive",
            )

    @_on_recorded_steps
    def register_tensor(
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
        role_within_node: str | None = None,
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
            is_parameter: A parameter outside of the tracked modules.
            is_target: A target of the network.
            is_loss: A loss; one number.
            recording_type: `neuron` (statistics and values, the default), `kpis` (statistics only) or `single_value` (one number).
                `kpis_and_svd` is for matrices without a batch dimension.
            record_per_batch_index: Whether samples are recorded one by one. By default as `start_batch` says.
            node_name: Tensors with the same name here share a node of the graph. By default each has its own.
            role_within_node: Distinguishes the tensors of a node. By default the tensor's name.
            is_initial_value: For the initial value of a hidden state, between `start_batch` and `start_iteration`.

        Raises:
            MisuseError: An argument is not usable, contradicts another or what was registered before; or it is not the time for this
                call.
        """
        step = self._recording.step
        assert step is not None
        if not isinstance(tensor_name, str):
            check_name("register_tensor", "tensor", tensor_name)
        if not isinstance(tensor, Tensor):
            raise MisuseError(f"register_tensor: {tensor_name!r} is a {type(tensor).__name__}. Give a torch.Tensor.")
        self._order.check_registration(tensor_name, is_parameter, is_initial_value)
        try:
            local, _ = local_part(tensor)
        except NoLocalPartError:
            local = tensor
        reference, traits = describe_tensor(
            tensor_name,
            INITIAL_ITERATION if is_initial_value or is_parameter or step.iteration is None else step.iteration,
            node_name,
            role_within_node,
            (bool(is_input), bool(is_parameter), bool(is_target), bool(is_loss)),
            None if local.is_nested else local.shape,
            local.dim(),
            index_of_batch_dimension=index_of_batch_dimension,
            recording_type=recording_type,
            record_per_batch_index=None if record_per_batch_index is None else bool(record_per_batch_index),
            per_sample_by_default=bool(step.per_sample_by_default),
            batch_size=step.batch_size,
            parameters_with_svd=self._options.with_svd,
        )
        step.register(reference, tensor, traits)

    @_on_recorded_steps
    def add_tensor_connection(self, src: Connectable, sink: Connectable) -> None:
        """Shows a dependency that autograd does not know of: the sink depends on the source.

        Args:
            src: A tensor, the name of a registered tensor (the newest iteration wins), or a `TensorReference`.
            sink: Likewise.

        Raises:
            MisuseError: A name is not known, or both are the same tensor. A loop is found, and raised, at `finish_iteration`.
        """
        assert self._recording.step is not None
        self._recording.step.connect(src, sink)

    def detach_while_keeping_connection(self, tensor: Tensor) -> Tensor:
        """Detaches a tensor from autograd, but not from the dependency graph.

        Args:
            tensor: Any tensor, registered or not.

        Returns:
            `tensor.detach()`.
        """
        detached = tensor.detach()
        self.add_tensor_connection(tensor, detached)
        return detached

    @_on_recorded_steps
    def record_current_gradients(self, name_of_loss_group: str, set_gradients_to_zero_if_not_a_parameter: bool = False) -> None:
        """Records the gradients of all registered tensors and tracked parameters as they are now. Call it after `backward()`.

        The gradient of a parameter is its `.grad`; that of another tensor is the sum over all backward passes of this step, as hooks
        of your own have left it that were registered before the tensor was. One that is missing counts as zeros, and is marked as
        absent.

        Args:
            name_of_loss_group: Under which name to record them; one per call of a step. Without `*`, and not beginning with `node__`.
            set_gradients_to_zero_if_not_a_parameter: Whether to forget them afterwards, so that the next call sees only what comes
                then.

        Raises:
            MisuseError: The name is not usable or taken, no iteration was started, or the type of the step is not known yet.
        """
        step = self._recording.step
        assert step is not None
        check_name("record_current_gradients", "group", name_of_loss_group)
        call = f"record_current_gradients({name_of_loss_group!r})"
        if self._order.stage == "started":
            raise self._order.error(call, "Call start_iteration first.")
        if self._recording.is_due is None:
            raise self._order.error(call, "Call decide_recording_of_batch first: gradients cannot be held back.")
        step.gradients.check(name_of_loss_group)
        self._recording.judge()
        if not step.is_provisional:
            step.gradients.record(name_of_loss_group, set_gradients_to_zero_if_not_a_parameter, step.iteration)

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
        element of `y` that has a gradient, save where autograd's graph proves that several can share one, as in a convolution. That takes
        its time: one flow on a few steps is what it is made for. For a network that is spread over several processes nothing is computed,
        which is a gap.

        It changes no gradient, flag or random number. Hooks of your own on tensors between the layers are called for every product, as
        they are in any backward pass, and so are the backward passes of your own functions. On a step of which it is not known yet whether
        it is recorded (its type comes later, or it is only watched for what is unusual), nothing is computed; where it is recorded after
        all, a gap says that the flow is missing.

        Args:
            loss: `L`: one number. Where a scaler multiplies it, give it as it was before.
            layers: Names of tensors that are registered or watched in this iteration, such as `model.conv1: output`, or a dictionary of
                names and tensors; two or more, in the order in which they are computed. What is computed in place overwrites a tensor, but
                not its flows. One that the loss does not depend on, or that does not follow the one before, is left out, which is a gap.
            name: Name of the flow; one per step.
            samples: Positions in the batch. By default the first sample that is recorded one by one.
            batch_dimension: Which dimension of all layers is that of the batch; None if they have none.
            max_flows: How many flows at most there are between two layers. Those into the elements of `y` with the largest gradients come
                first, and the recording says which are missing.
            max_memory: How many bytes a block of products may take, as far as the sizes of the two layers tell. Besides, a flow takes about
                50 bytes until all are there.
            progress: Whether to show a progress bar on the standard error, if that is a terminal, once it takes longer than a second. Or
                what is called after every block instead, with how many products are done and how many there are.

        Raises:
            MisuseError: An argument is not usable; a layer is not registered, holds no real floating-point numbers, requires no gradient or
                comes before one that it is computed from; the graph is gone; or it is not called within an iteration.
        """
        step = self._recording.step
        assert step is not None
        if self._order.stage != "forward":
            remedy = "Call it within an iteration, after the forward pass and before loss.backward()."
            raise self._order.error("record_gradient_flow", remedy)
        limits = FlowLimits(max_flows, max_memory)
        step.record_gradient_flow(FlowRequest(loss, layers, name, samples, batch_dimension, limits, progress))

    def _why_there_is_no_step(self) -> str | None:
        """Why nothing was recorded although there were calls that record; None where there were none, or a step was recorded."""
        has_begun = self._recording.has_begun
        if self._output is None or self._output.steps_finished or not (has_begun or self._was_called_in_vain):
            return None
        if has_begun:
            return "no step was recorded, since all that were begun were dropped before their end, or failed, which is a gap."
        if self._order.has_begun:
            return (
                "no step was recorded, since none of those that there were was due. Give another schedule: "
                "decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(1) records every step."
            )
        return (
            "no step was recorded, since start_batch was never called, and all that is registered outside of a step is ignored. Put each "
            "training step between start_batch and finish_batch, or into `with recorder.batch(step, batch_size):`."
        )


def _inactive_recorder(group: str, trial_id: str) -> ComgraRecorder:
    return ComgraRecorder("", group, trial_id, comgra_is_active=False)
