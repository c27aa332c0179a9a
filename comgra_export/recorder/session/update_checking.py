"""Connects the check of updates with a recorder that detects its steps itself."""

from __future__ import annotations

import weakref

from torch import Tensor, nn

from comgra_export.recorder.detection.detector import StepDetector
from comgra_export.recorder.host.gaps import describe_error
from comgra_export.recorder.host.torch_internals import own_parameters
from comgra_export.recorder.modules.ports import argument_ports, parameters_of, port_reference, role_of_input
from comgra_export.recorder.modules.training_state import TrainingState
from comgra_export.recorder.output.recording_output import RecordingOutput
from comgra_export.recorder.sentinels.update_check import UpdateCheck
from comgra_export.recorder.session.lifecycle import StepLifecycle
from comgra_export.storage.model.lines import Gap

__all__ = ["check_updates"]


def check_updates(
    steps: weakref.ref[StepLifecycle], detector: weakref.ref[StepDetector], training: TrainingState, output: RecordingOutput
) -> UpdateCheck:
    """Begins to check the updates of the training steps that are not recorded. Keeps `steps` and `detector` alive no longer."""

    def embeddings() -> set[int]:
        modules = (module for module in training.modules.modules() if isinstance(module, nn.Embedding | nn.EmbeddingBag))
        return {id(parameter) for module in modules for parameter in own_parameters(module).values()}

    def inputs() -> list[tuple[str, Tensor]] | None:
        """The tensors that the call of the step in progress got, each with the name that it is recorded under; None if it is not known."""
        detecting = detector()
        call = None if detecting is None else detecting.unrecorded_call
        if call is None:
            return None
        module, arguments, named = call
        node = training.modules.name_of(module)
        ports = argument_ports(parameters_of(module), arguments, named)
        return [(port_reference(node, role_of_input(port.path), 0).name, port.tensor) for port in ports if port.tensor is not None]

    def report(error: Exception) -> None:
        reason = f"nothing is missing, but steps that are not recorded are not checked any more ({describe_error(error)})"
        lifecycle = steps()
        output.gaps.note(Gap(reason, None if lifecycle is None else lifecycle.unrecorded_step))

    return UpdateCheck(
        steps,
        parameters=training.modules.parameters,
        embeddings=embeddings,
        inputs=inputs,
        is_watched=training.watched.are_updated_by,
        write=output.add_sentinel_point,
        report=report,
    )
