"""What a recorded step is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from torch import nn

from comgra_export.recorder.flows.record import GradientFlows
from comgra_export.recorder.gradients.gradient_watch import GradientWatch
from comgra_export.recorder.host.compilation import EagerExecution
from comgra_export.recorder.host.module_calls import ModuleCalls
from comgra_export.recorder.modules.call_gradients import CallGradients
from comgra_export.recorder.modules.calls import CallWatch
from comgra_export.recorder.modules.dropouts import DropoutWatch
from comgra_export.recorder.modules.exceptions import StepExceptions
from comgra_export.recorder.modules.losses import LossWatch
from comgra_export.recorder.modules.training_watch import TrainingWatch
from comgra_export.recorder.modules.watched import WatchedModule
from comgra_export.recorder.numbers.collector import Measurements
from comgra_export.recorder.step.gradients import GradientGroups
from comgra_export.recorder.step.parameters import StepParameters
from comgra_export.recorder.step.registrar import TensorRegistrar
from comgra_export.recorder.step.tensors import TensorRecording
from comgra_export.recorder.tracing.operations import OperationWatch
from comgra_export.recorder.tracing.other_threads import OtherThreads
from comgra_export.recorder.tracing.registered_tensors import RegisteredTensors
from comgra_export.recorder.tracing.search import Tracer

__all__ = ["StepParts", "WatchedCalls"]


class WatchedCalls(NamedTuple):
    """What watches the calls of watched modules, and the gradients that come back through them."""

    watch: CallWatch
    gradients: CallGradients


@dataclass(frozen=True, kw_only=True)
class StepParts:
    """What a step is made of. `wiring.make_step` puts it together.

    Without watched modules, `calls` is None. If dependencies are read from autograd's graph, `operations`, `losses` and
    `dropouts` are None.
    """

    registrar: TensorRegistrar
    registered: RegisteredTensors
    values: TensorRecording
    measurements: Measurements
    parameters: StepParameters
    gradients: GradientGroups
    gradient_watch: GradientWatch
    training_watch: TrainingWatch
    exceptions: StepExceptions
    flows: GradientFlows
    tracer: Tracer[Any]
    operations: OperationWatch | None
    losses: LossWatch | None
    dropouts: DropoutWatch | None
    calls: WatchedCalls | None
    module_calls: ModuleCalls
    watched: Mapping[nn.Module, WatchedModule]
    other_threads: OtherThreads
    eager_execution: EagerExecution

    def releases(self) -> list[Callable[[], None]]:
        """What removes the hooks of the step. None of it refers to the step."""
        watches = [] if self.operations is None else [self.operations.stop]
        if self.calls is not None:
            watches += [self.calls.watch.release, self.calls.gradients.release]
        return [*watches, self.gradient_watch.release, self.training_watch.release, self.eager_execution.stop, self.tracer.forget]
