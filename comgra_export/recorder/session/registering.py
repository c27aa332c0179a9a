"""What `register_tensor` does in a recorded step."""

from __future__ import annotations

from torch import Tensor

from comgra_export.errors import MisuseError
from comgra_export.recorder.session.call_order import CallOrder
from comgra_export.recorder.step.recorded_step import RecordedStep
from comgra_export.recorder.step.tensors import local_values
from comgra_export.recorder.tracing.registrations import INITIAL_ITERATION, check_name, describe_tensor

__all__ = ["register_tensor"]


def register_tensor(
    step: RecordedStep,
    order: CallOrder,
    name: str,
    tensor: Tensor,
    *,
    index_of_batch_dimension: int | None,
    is_input: bool,
    is_parameter: bool,
    is_target: bool,
    is_loss: bool,
    recording_type: str | None,
    record_per_batch_index: bool | None,
    node: str | None,
    role: str | int | None,
    is_initial_value: bool,
    parameters_with_svd: bool,
) -> None:
    """As `ComgraRecorder.register_tensor`, in a step that is being recorded."""
    if not isinstance(name, str):
        check_name("register_tensor", "tensor", name)
    if not isinstance(tensor, Tensor):
        raise MisuseError(f"register_tensor: {name!r} is a {type(tensor).__name__}. Give a torch.Tensor.")
    order.check_registration(name, is_parameter, is_initial_value)
    state, local = step.state, local_values(tensor)
    values, _, _ = local
    reference, traits = describe_tensor(
        name,
        INITIAL_ITERATION if is_initial_value or is_parameter or state.iteration is None else state.iteration,
        node,
        str(role) if isinstance(role, int) else role,
        flags=(bool(is_input), bool(is_parameter), bool(is_target), bool(is_loss)),
        shape=None if values.is_nested else values.shape,
        dimensions=values.dim(),
        index_of_batch_dimension=index_of_batch_dimension,
        recording_type=recording_type,
        record_per_batch_index=None if record_per_batch_index is None else bool(record_per_batch_index),
        per_sample_by_default=bool(state.per_sample_by_default),
        batch_size=state.batch_size,
        parameters_with_svd=parameters_with_svd,
    )
    step.registrar.register(reference, tensor, traits, local)
