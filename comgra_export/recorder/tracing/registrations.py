"""What a call of `register_tensor` says about a tensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache, wraps
from math import prod
from typing import ParamSpec, TypeVar, get_args

from comgra_export.errors import MisuseError
from comgra_export.recorder.host.dtypes import NumberType
from comgra_export.recorder.tracing.search import TracedValue
from comgra_export.storage.model.calls import PortMeaning
from comgra_export.storage.model.layout import Kind, ShownTensor, TensorEntry, TensorType
from comgra_export.storage.text.names import clean_text, shown

__all__ = [
    "INITIAL_ITERATION",
    "Reference",
    "Registration",
    "TensorReference",
    "Traits",
    "check_name",
    "check_text",
    "describe_tensor",
    "shown_tensor",
    "tensor_entry",
]

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

INITIAL_ITERATION = -1
"""The iteration of parameters and initial values."""

# So many descriptions are kept from step to step: of as many tensors in all iterations.
_KEPT = 16_384

tensor_entry = lru_cache(_KEPT)(TensorEntry)
shown_tensor = lru_cache(_KEPT)(ShownTensor)


@dataclass(frozen=True)
class TensorReference:
    """Names a registered tensor of a certain iteration, for `add_tensor_connection`.

    Args:
        tensor_name: The name given to `register_tensor`.
        iteration: The iteration in which it was registered, counted from 0; -1 for initial values and parameters.
        node_name: Not needed, like all that follow. They are those of comgra, and say nothing that the recorder does not know.
        role_within_node: The tensor's role in that node.
        is_canonical_reference: Whether this is the first name of the tensor.
        previous_reference: Its name before, if it is not the first.
    """

    tensor_name: str
    iteration: int
    node_name: str | None = None
    role_within_node: str | None = None
    is_canonical_reference: bool = True
    previous_reference: TensorReference | None = None

    def get_canonical_reference(self) -> TensorReference:
        """The first name of the tensor, as far as it is known."""
        reference = self
        while not reference.is_canonical_reference and reference.previous_reference is not None:
            reference = reference.previous_reference
        return reference


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


@dataclass(slots=True)
class Registration:
    """A tensor that was registered in this step.

    Attributes:
        number: Its position among the tensors of the step.
        first: Its first name, which is that of its numbers.
        others: Its other names, in the order in which they were given.
        numbers: How its dtype is recorded; None if it has no numbers.
        entry: What its numbers are; None if it has none.
        is_found: Whether it was registered since a watched module was called with it or returned it, and not by the user.
        is_result: Whether a watched module returned it. What it was used for before was within that module, and is no use of the result.
        is_computed: Whether it is what a function returned or compared with that was called outside watched modules. Its name is that of
            the function, and gives way to the names of the user.
        is_watched: Whether its gradient is recorded.
        is_state: Whether it is the state of a module, such as a running mean: it is in no graph, and has no gradient.
        meaning: What it is known to be, or None.
        replaced_by: What stands for it, since the user has registered it too, with other traits.
        histogram_values: How many of its values, at most, a histogram is made of; 0: there is none.
    """

    number: int
    traced: TracedValue
    traits: Traits
    first: Reference
    others: tuple[Reference, ...] = ()
    numbers: NumberType | None = None
    entry: TensorEntry | None = None
    is_found: bool = False
    is_result: bool = False
    is_computed: bool = False
    is_watched: bool = True
    is_state: bool = False
    meaning: PortMeaning | None = None
    replaced_by: Registration | None = None
    histogram_values: int = 0

    def may_become(self, traits: Traits) -> bool:
        """Whether the user may name it instead of a function, and what is recorded of it stays the same."""
        return self.is_computed and self.is_watched and self.traits == replace(traits, type=self.traits.type)

    def rename(self, reference: Reference, new_type: TensorType) -> None:
        """Gives a tensor another first name, and another type."""
        self.first = reference
        self.traits = replace(self.traits, type=new_type)
        if self.entry is not None:
            self.entry = replace(self.entry, name=reference.name, node=reference.node, role=reference.role, type=new_type)

    @property
    def last(self) -> Reference:
        """Its last name."""
        return self.others[-1] if self.others else self.first

    @property
    def references(self) -> tuple[Reference, ...]:
        """All its names."""
        return (self.first, *self.others)


def check_text(call: str, what: str, text: object, *, may_be_empty: bool = False) -> None:
    """Checks what the user calls a role or a group of gradients, which may be any text.

    Raises:
        MisuseError: It is not a string, not valid Unicode, or empty without `may_be_empty`.
    """
    if not isinstance(text, str):
        raise MisuseError(f"{call}: the name of the {what} is {shown(text)}, which is not a string. Give a string.")
    if not text and not may_be_empty:
        raise MisuseError(f"{call}: the name of the {what} is empty. Give it a name.")
    if not text.isascii() and clean_text(text) != text:
        raise MisuseError(f"{call}: the name of the {what} {text!a} is not valid Unicode, so it cannot be written. Choose another name.")


def check_name(call: str, what: str, name: object) -> None:
    """Checks a name that the user gives to a tensor, a node or a module.

    Raises:
        MisuseError: It is not a string, is empty or not valid Unicode, contains `*`, or begins with `node__`.
    """
    check_text(call, what, name)
    assert isinstance(name, str)
    if "*" in name:
        raise MisuseError(
            f"{call}: the name of the {what} {name!r} contains *, which marks tensors of earlier iterations. Choose a name without it."
        )
    if name.startswith("node__"):
        raise MisuseError(f"{call}: the name of the {what} {name!r} begins with node__, which is reserved. Choose another beginning.")


def _keeping(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Keeps what a function has returned, since most of it is asked for again in the next step. What only equals an argument is another."""
    kept = lru_cache(_KEPT, typed=True)(function)

    @wraps(function)
    def look_up(*arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        try:
            return kept(*arguments, **named)  # type: ignore[arg-type]
        except TypeError:
            # An argument that cannot be a key. Without the cache, it is named.
            return function(*arguments, **named)

    return look_up


@_keeping
def describe_tensor(
    name: str,
    iteration: int,
    node: str | None,
    role: str | None,
    *,
    flags: tuple[bool, bool, bool, bool],
    shape: Sequence[int] | None,
    dimensions: int,
    index_of_batch_dimension: int | None,
    recording_type: str | None,
    record_per_batch_index: bool | None,
    per_sample_by_default: bool,
    batch_size: int,
    parameters_with_svd: bool,
) -> tuple[Reference, Traits]:
    """Works out what is recorded of a tensor, and where it is shown.

    `ComgraRecorder.register_tensor` and `start_batch` describe the arguments. Besides, `flags` says whether it is an input, a parameter, a
    target, a loss. The shape of a nested tensor, which has several, is None.

    Parameters, losses and tensors without dimensions have no batch dimension, whatever `index_of_batch_dimension` says.

    Raises:
        MisuseError: The arguments contradict each other or the tensor's shape.
    """
    check_name("register_tensor", "tensor", name)
    if node is not None:
        check_name("register_tensor", "node", node)
    if role is not None:
        check_text("register_tensor", "role", role, may_be_empty=True)
    label = f"register_tensor: the tensor {name!r}"
    tensor_type = _choose_type(label, flags)
    if recording_type is not None and recording_type not in get_args(Kind):
        raise MisuseError(f"{label} has the recording_type {shown(recording_type)}. Use one of {', '.join(get_args(Kind))}.")
    if tensor_type == "loss" or recording_type == "single_value" or (dimensions == 0 and tensor_type != "parameter"):
        _check_single_value(label, shape, dimensions, tensor_type)
        kind, dimension = "single_value", None
    elif tensor_type == "parameter":
        kind, dimension = "kpis_and_svd" if parameters_with_svd and dimensions == 2 else "kpis", None
    else:
        kind = recording_type or "neuron"
        dimension = _check_batch_dimension(label, shape, dimensions, index_of_batch_dimension, batch_size)
    if kind == "kpis_and_svd" and (dimension is not None or dimensions != 2):
        raise MisuseError(f"{label} has the recording_type 'kpis_and_svd', which is for matrices without a batch dimension. Use 'kpis'.")
    if dimension is None and record_per_batch_index:
        raise MisuseError(f"{label} has no batch dimension and record_per_batch_index=True. Leave one of the two out.")
    per_sample = dimension is not None and (per_sample_by_default if record_per_batch_index is None else bool(record_per_batch_index))
    traits = Traits(tensor_type, kind, dimension, per_sample)  # type: ignore[arg-type]
    return Reference(name, iteration, node or name, name if role is None else role), traits


def _choose_type(label: str, flags: tuple[bool, bool, bool, bool]) -> TensorType:
    types: tuple[TensorType, ...] = ("input", "parameter", "target", "loss")
    chosen = [name for name, is_set in zip(types, flags, strict=True) if is_set]
    if len(chosen) > 1:
        raise MisuseError(f"{label} cannot be {' and '.join(chosen)} at once. A tensor has one role; leave the other out.")
    return chosen[0] if chosen else "calculated"


def _check_single_value(label: str, shape: Sequence[int] | None, dimensions: int, tensor_type: TensorType) -> None:
    if dimensions and (shape is None or prod(shape) != 1):
        several = "several values" if shape is None else f"the shape {list(shape)}"
        remedy = (
            "Register its mean or sum as the loss, and the tensor itself without is_loss"
            if tensor_type == "loss"
            else "Use 'neuron' or 'kpis'"
        )
        raise MisuseError(f"{label} has {several}, but a {'loss' if tensor_type == 'loss' else 'single_value'} is one number. {remedy}.")


def _check_batch_dimension(label: str, shape: Sequence[int] | None, dimensions: int, index: int | None, batch_size: int) -> int | None:
    """The index of the batch dimension, counted from the front."""
    if index is None:
        return None
    if not isinstance(index, int) or not -dimensions <= index < dimensions:
        raise MisuseError(
            f"{label} has {dimensions} dimensions and index_of_batch_dimension={shown(index)}. Give the index of one of them, or "
            "None if it has no batch dimension."
        )
    if shape is not None and shape[index] != batch_size:
        raise MisuseError(
            f"{label} has the shape {list(shape)}, whose dimension {index} is not the current_batch_size "
            f"{batch_size} given to start_batch. "
            "Give the actual batch size there, the right index_of_batch_dimension here, or None if the tensor has no batch dimension."
        )
    return index % dimensions


def difference_between(first: Traits, second: Traits) -> str:
    """Names what two descriptions of a tensor disagree on."""
    names = [attribute.name for attribute in fields(Traits) if getattr(first, attribute.name) != getattr(second, attribute.name)]
    return ", ".join(f"{name} ({getattr(first, name)!r} and {getattr(second, name)!r})" for name in names)
