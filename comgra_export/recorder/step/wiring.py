"""Putting a recorded step together: which parts it has, and which of them know each other."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from torch import Tensor, nn

from comgra_export.errors import RecordingGapError
from comgra_export.recorder.flows.record import GradientFlows
from comgra_export.recorder.gradients.gradient_watch import GradientWatch
from comgra_export.recorder.gradients.inline_statistics import InlineStatistics
from comgra_export.recorder.gradients.scaler_search import ScalerSearch
from comgra_export.recorder.host.compilation import EagerExecution, compiler_is_used
from comgra_export.recorder.host.function_modes import are_twins_in_use
from comgra_export.recorder.host.gaps import GapKeeper, describe_error
from comgra_export.recorder.host.module_calls import ModuleCalls
from comgra_export.recorder.host.torch_internals import without_function_overrides
from comgra_export.recorder.host.weak_methods import WeakMethod
from comgra_export.recorder.modules.call_gradients import CallGradients
from comgra_export.recorder.modules.calls import CallWatch
from comgra_export.recorder.modules.dropouts import DropoutWatch
from comgra_export.recorder.modules.exceptions import StepExceptions
from comgra_export.recorder.modules.losses import LossWatch
from comgra_export.recorder.modules.training_state import TrainingState
from comgra_export.recorder.modules.training_watch import TrainingWatch
from comgra_export.recorder.numbers.buffers import HistogramCopies
from comgra_export.recorder.numbers.collector import Measurements
from comgra_export.recorder.numbers.finished_numbers import report_missing_numbers
from comgra_export.recorder.numbers.parts import RecordKey
from comgra_export.recorder.sentinels.unusual_steps import UnusualSteps
from comgra_export.recorder.step.gradients import GradientGroups, GradientRecording
from comgra_export.recorder.step.options import StepOptions
from comgra_export.recorder.step.parameters import StepParameters
from comgra_export.recorder.step.parts import StepParts, WatchedCalls
from comgra_export.recorder.step.recorded_step import RecordedStep
from comgra_export.recorder.step.registrar import TensorRegistrar
from comgra_export.recorder.step.state import StepState
from comgra_export.recorder.step.tensors import TensorRecording
from comgra_export.recorder.tracing.autograd_tracer import AutogradTracer
from comgra_export.recorder.tracing.data_flow import DataFlowTracer
from comgra_export.recorder.tracing.listeners import UPDATE, ResultListener
from comgra_export.recorder.tracing.operations import OperationWatch
from comgra_export.recorder.tracing.other_threads import OtherThreads
from comgra_export.recorder.tracing.registered_tensors import RegisteredTensors
from comgra_export.recorder.tracing.registrations import Registration
from comgra_export.recorder.tracing.search import Tracer
from comgra_export.recorder.tracing.twins import GradientTwins
from comgra_export.storage.model.lines import Gap

__all__ = ["make_step"]


def make_step(
    state: StepState,
    options: StepOptions,
    training: TrainingState,
    *,
    gap_keeper: GapKeeper,
    unusual_steps: UnusualSteps | None,
    decide_before_update: WeakMethod[Callable[[], None]] | None,
) -> RecordedStep:
    """Makes a step that is going to be recorded, or held back. Nothing is watched before its `begin`.

    What hooks refer to (watches, tracers, listeners) refers neither to the step nor to its registrar, or only weakly. So a step that nobody
    refers to any more is freed at once, and removes its hooks. `TensorRegistrar` describes `decide_before_update`.
    """
    number, modules = state.number, training.modules
    # A compiler would compile its code anew under a watch. A step that is due runs eagerly; every other one should stay as fast as it is.
    is_watched = options.graph == "data_flow" and not (state.is_provisional and compiler_is_used())
    # On every step of a run, to follow gradients would cost more than all the rest.
    follows_gradients = not state.is_provisional or unusual_steps is None
    module_calls = ModuleCalls()
    exceptions = StepExceptions(lambda: state.iteration)
    training_watch = TrainingWatch(training, module_calls, exceptions, watched=is_watched, follows_gradients=follows_gradients)
    parameters = StepParameters(modules, options.snapshot_memory, number, gap_keeper)
    other_threads = OtherThreads()
    data_flow = DataFlowTracer(other_threads) if is_watched else None
    tracer: Tracer[Any] = AutogradTracer() if data_flow is None else data_flow
    registered = RegisteredTensors(tracer, number, gap_keeper, options.known_structures)
    measurements = _make_measurements(state, options, registered.all, gap_keeper)
    twins, why_no_twins = _make_twins(data_flow, options)
    inline_statistics = InlineStatistics(registered.all, measurements, training_watch.scaling)
    gradient_watch = GradientWatch(twins, why_no_twins, modules.buffers(), inline_statistics)
    call_gradients = CallGradients(registered, gradient_watch, number, gap_keeper, other_threads) if training.watched else None
    values = TensorRecording(
        state,
        registered.all,
        measurements=measurements,
        gradients=gradient_watch,
        tracer=tracer,
        parameters=parameters,
        training_watch=training_watch,
        gap_keeper=gap_keeper,
    )
    gradient_recording = GradientRecording(
        number,
        registered.all,
        measurements=measurements,
        gradients=gradient_watch,
        call_gradients=call_gradients,
        scaling=training_watch.scaling,
        gap_keeper=gap_keeper,
    )
    gradients = GradientGroups(number, gradient_recording, modules, training_watch, unusual_steps, gap_keeper)
    registrar = TensorRegistrar(
        state,
        options,
        training,
        registered=registered,
        values=values,
        parameters=parameters,
        gradients=gradients,
        gap_keeper=gap_keeper,
        unusual_steps=unusual_steps,
        decide_before_update=decide_before_update,
    )
    watched = training.watched.modules(modules.modules())
    calls = None
    if call_gradients is not None:
        report = _reporter("calls", number, gap_keeper)
        calls = WatchedCalls(CallWatch(module_calls, watched, registrar, call_gradients, other_threads, report), call_gradients)
    operations = losses = dropouts = None
    if data_flow is not None:
        dropouts = DropoutWatch(training_watch.innermost_module, _reporter("dropout", number, gap_keeper))
        losses = LossWatch(registered, registrar, calls and calls.watch, watched, _reporter("losses", number, gap_keeper))
        operations = OperationWatch(
            module_calls,
            data_flow,
            twins,
            (_BeforeUpdate(WeakMethod(registrar.before_update)), training_watch, _HeldValues(measurements)),
            _trouble_reporter(number, gap_keeper),
            before_backward=None if call_gradients is None else call_gradients.before_backward,
            results=[losses, dropouts, *_result_listeners(number, calls, training_watch, unusual_steps, gap_keeper)],
            source_lines=options.source_lines,
            on_exception=training_watch.note_exception,
        )
    return RecordedStep(
        state,
        options,
        gap_keeper,
        StepParts(
            registrar=registrar,
            registered=registered,
            values=values,
            measurements=measurements,
            parameters=parameters,
            gradients=gradients,
            gradient_watch=gradient_watch,
            training_watch=training_watch,
            exceptions=exceptions,
            flows=GradientFlows(number, registered, gradient_watch, tracer, gap_keeper),
            tracer=tracer,
            operations=operations,
            losses=losses,
            dropouts=dropouts,
            calls=calls,
            module_calls=module_calls,
            watched=watched,
            other_threads=other_threads,
            eager_execution=EagerExecution(),
        ),
    )


class _BeforeUpdate:
    """Says when parameters are about to change, before anything else is done for it.

    Args:
        before_update: Called then. Weak, so that the listeners of a step do not lead back to it.
    """

    def __init__(self, before_update: WeakMethod[Callable[[], None]]) -> None:
        self._before_update = before_update

    def before_overwrite(self, function: str, tensors: Sequence[Tensor]) -> None:
        """As `OperationListener.before_overwrite`."""
        if function == UPDATE or any(type(tensor) is not Tensor and isinstance(tensor, nn.Parameter) for tensor in tensors):
            before_update = self._before_update()
            if before_update is not None:
                with without_function_overrides():
                    before_update()

    def after_backward(self) -> None:
        """As `OperationListener.after_backward`."""


class _HeldValues:
    """Copies what is held of a step before its memory changes."""

    def __init__(self, measurements: Measurements) -> None:
        self._measurements = measurements

    def before_overwrite(self, function: str, tensors: Sequence[Tensor]) -> None:  # noqa: ARG002
        """As `OperationListener.before_overwrite`."""
        self._measurements.before_overwrite(tensors)

    def after_backward(self) -> None:
        """As `OperationListener.after_backward`."""


def _result_listeners(
    number: float, calls: WatchedCalls | None, training_watch: TrainingWatch, unusual_steps: UnusualSteps | None, gap_keeper: GapKeeper
) -> Iterator[ResultListener]:
    """What else looks at the results of functions, besides the search for losses."""
    if calls is not None:
        yield ScalerSearch(training_watch.scaling, _reporter("scale", number, gap_keeper))
    if unusual_steps is not None:
        unusual_steps.functions.calls = None if calls is None else weakref.ref(calls.watch)
        yield unusual_steps.functions


def _make_twins(data_flow: DataFlowTracer | None, options: StepOptions) -> tuple[GradientTwins | None, str]:
    """The twins of a step; or None, and why there are none."""
    if data_flow is None or not options.request_gradients:
        return None, "gradients of such tensors are not asked for"
    if are_twins_in_use():
        return None, "another recorder, whose step began first, has the gradients of such tensors"
    return GradientTwins(data_flow), ""


def _make_measurements(state: StepState, options: StepOptions, registrations: list[Registration], gap_keeper: GapKeeper) -> Measurements:
    """Makes what computes the numbers of a step's tensors. What it cannot compute is a gap."""
    step = state.number

    def fail(key: RecordKey, error: Exception) -> None:
        group, number = key
        reference = registrations[number].first
        report_missing_numbers(gap_keeper, step, group, reference.name, reference.iteration, error)

    copies = HistogramCopies(options.histogram_memory)
    return Measurements(
        state.samples.index, fail, options.scratch, copies, device_scratch=options.device_scratch, provisional=state.is_provisional
    )


def _trouble_reporter(step: float, gap_keeper: GapKeeper) -> Callable[[Exception], None]:
    """Makes a function that reports an exception of our own while functions are watched. A gap that ends the run passes through."""
    report_gap = _reporter("graph", step, gap_keeper)

    def report(error: Exception) -> None:
        if isinstance(error, RecordingGapError):
            raise error
        report_gap("a dependency may be missing", error)

    return report


def _reporter(kind: str, step: float, gap_keeper: GapKeeper) -> Callable[[str, Exception], None]:
    """Makes a function that reports an exception of our own, with a sentence about it, as a gap of the step."""

    def report(sentence: str, error: Exception) -> None:
        gap_keeper.report(kind, Gap(f"{sentence} ({describe_error(error)})", step), error)

    return report
