"""What a call of `register_tensor` says about a tensor."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import get_args

from torch import Tensor

from comgra_export.errors import MisuseError
from comgra_export.recorder.dependencies import Spot
from comgra_export.recorder.dtypes import NumberType
from comgra_export.storage.model import Kind, TensorEntry, TensorType
from comgra_export.storage.names import clean_text

__all__ = ["Reference", "Registration", "TensorReference", "Traits", "check_name", "choose_type", "resolve_traits"]


@dataclass(frozen=True)
class TensorReference:
    """Names a registered tensor of a certain iteration, for `add_tensor_connection`.

    Args:
        tensor_name: The name given to `register_tensor`.
        iteration: The iteration in which it was registered, counted from 0; -1 for initial values and parameters.
    """

    tensor_name: str
    iteration: int


@dataclass(frozen=True)
class Reference:
    """One name of a tensor, and where it is shown under that name."""

    name: str
    iteration: int
    node: str
    role: str


@dataclass(frozen=True)
class Traits:
    """What is recorded of a tensor. All names of a tensor must agree on it."""

    type: TensorType
    kind: Kind
    batch_dimension: int | None
    per_sample: bool


@dataclass
class Registration:
    """A tensor that was registered in this step.

    Attributes:
        number: Its position among the tensors of the step.
        references: Its names, in the order in which they were given. The first one is that of its numbers.
        numbers: How its dtype is recorded; None where it has no numbers.
        entry: What its numbers are; None where it has none.
    """

    number: int
    spot: Spot
    traits: Traits
    references: list[Reference] = field(default_factory=list)
    numbers: NumberType | None = None
    entry: TensorEntry | None = None


def check_name(call: str, what: str, name: object) -> None:
    """Checks a name that the user gives to a tensor, a node, a role or a module.

    Raises:
        MisuseError: It is not a string, is empty or not valid Unicode, contains `*`, or begins with `node__`.
    """
    if not isinstance(name, str):
        raise MisuseError(f"{call}: the name of the {what} is {name!r}, which is not a string. Give a string.")
    if not name:
        raise MisuseError(f"{call}: the name of the {what} is empty. Give it a name.")
    if not name.isascii() and clean_text(name) != name:
        raise MisuseError(f"{call}: the name of the {what} {name!a} is not valid Unicode, so it cannot be written. Choose another name.")
    if "*" in name:
        raise MisuseError(
            f"{call}: the name of the {what} {name!r} contains *, which marks tensors of earlier iterations. Choose a name without it."
        )
    if name.startswith("node__"):
        raise MisuseError(f"{call}: the name of the {what} {name!r} begins with node__, which is reserved. Choose another beginning.")


def choose_type(name: str, is_input: bool, is_parameter: bool, is_target: bool, is_loss: bool) -> TensorType:
    """The type of a tensor, from the four flags of `register_tensor`.

    Raises:
        MisuseError: More than one is set.
    """
    chosen: list[TensorType] = []
    if is_input:
        chosen.append("input")
    if is_parameter:
        chosen.append("parameter")
    if is_target:
        chosen.append("target")
    if is_loss:
        chosen.append("loss")
    if len(chosen) > 1:
        raise MisuseError(
            f"register_tensor: the tensor {name!r} is said to be {' and '.join(chosen)}. A tensor has one role; leave the other out."
        )
    return chosen[0] if chosen else "calculated"


def resolve_traits(
    name: str,
    tensor: Tensor,
    tensor_type: TensorType,
    *,
    index_of_batch_dimension: int | None,
    recording_type: str | None,
    record_per_batch_index: bool | None,
    per_sample_by_default: bool,
    batch_size: int,
    parameters_with_svd: bool,
) -> Traits:
    """Works out what is recorded of a tensor.

    Parameters, losses and tensors without dimensions have no batch dimension, whatever `index_of_batch_dimension` says.

    Raises:
        MisuseError: The arguments contradict each other or the tensor's shape.
    """
    label = f"register_tensor: the tensor {name!r}"
    if recording_type is not None and recording_type not in get_args(Kind):
        raise MisuseError(f"{label} has the recording_type {recording_type!r}. Use one of {', '.join(get_args(Kind))}.")
    if tensor_type == "loss" or recording_type == "single_value" or (tensor.dim() == 0 and tensor_type != "parameter"):
        _check_single_value(label, tensor, tensor_type)
        kind, dimension = "single_value", None
    elif tensor_type == "parameter":
        kind, dimension = "kpis_and_svd" if parameters_with_svd and tensor.dim() == 2 else "kpis", None
    else:
        kind, dimension = recording_type or "neuron", _check_batch_dimension(label, tensor, index_of_batch_dimension, batch_size)
    if kind == "kpis_and_svd" and (dimension is not None or tensor.dim() != 2):
        raise MisuseError(f"{label} has the recording_type 'kpis_and_svd', which is for matrices without a batch dimension. Use 'kpis'.")
    if dimension is None and record_per_batch_index:
        raise MisuseError(f"{label} has no batch dimension and record_per_batch_index=True. Leave one of the two out.")
    per_sample = dimension is not None and (per_sample_by_default if record_per_batch_index is None else bool(record_per_batch_index))
    return Traits(tensor_type, kind, dimension, per_sample)  # type: ignore[arg-type]


def _check_single_value(label: str, tensor: Tensor, tensor_type: TensorType) -> None:
    if tensor.dim() and (tensor.is_nested or tensor.numel() != 1):
        shape = "several values" if tensor.is_nested else f"the shape {list(tensor.shape)}"
        remedy = (
            "Register its mean or sum as the loss, and the tensor itself without is_loss"
            if tensor_type == "loss"
            else "Use 'neuron' or 'kpis'"
        )
        raise MisuseError(f"{label} has {shape}, but a {'loss' if tensor_type == 'loss' else 'single_value'} is one number. {remedy}.")


def _check_batch_dimension(label: str, tensor: Tensor, index: int | None, batch_size: int) -> int | None:
    """The index of the batch dimension, counted from the front."""
    if index is None:
        return None
    dimensions = tensor.dim()
    if not isinstance(index, int) or not -dimensions <= index < dimensions:
        raise MisuseError(
            f"{label} has {dimensions} dimensions and index_of_batch_dimension={index!r}. Give the index of one of them, or "
            "None if it has no batch dimension."
        )
    if not tensor.is_nested and tensor.shape[index] != batch_size:
        raise MisuseError(
            f"{label} has the shape {list(tensor.shape)}, whose dimension {index} is not the current_batch_size "
            f"{batch_size} given to start_batch. "
            "Give the actual batch size there, the right index_of_batch_dimension here, or None if the tensor has no batch dimension."
        )
    return index % dimensions


def difference_between(first: Traits, second: Traits) -> str:
    """Names what two descriptions of a tensor disagree on."""
    names = [attribute.name for attribute in fields(Traits) if getattr(first, attribute.name) != getattr(second, attribute.name)]
    return ", ".join(f"{name} ({getattr(first, name)!r} and {getattr(second, name)!r})" for name in names)
