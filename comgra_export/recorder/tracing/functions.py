"""What the names and schemas of PyTorch's functions say: which write to memory, draw random numbers, or stop gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from comgra_export.recorder.host.nested import tensors_in
from comgra_export.recorder.host.torch_internals import (
    ATEN_OPERATORS,
    FUNCTIONS_WITHOUT_TENSORS,
    OPERATORS,
    TENSOR_METHODS,
    is_operator,
    schema_of,
)
from comgra_export.recorder.tracing.loss_functions import FUNCTIONAL, LOSS_FUNCTIONS

__all__ = ["Function", "describe_function"]

_Arguments = Sequence[Any]
_Named = Mapping[str, Any]

# Attributes that are tensors with the same values; of the rest, only assignments to `data` matter.
_ATTRIBUTES = {"T", "mT", "H", "mH", "real", "imag", "data"}
_NO_TENSOR = {
    *("size", "dim", "ndimension", "numel", "nelement", "stride", "storage_offset", "element_size", "data_ptr", "get_device"),
    *("item", "tolist", "numpy", "__array__", "__dlpack__", "storage_type", "equal", "allclose", "is_tensor"),
    *("register_hook", "register_post_accumulate_grad_hook", "retain_grad", "requires_grad_", "result_type"),
    *("__len__", "__bool__", "__int__", "__float__", "__complex__", "__index__", "__hash__", "__repr__", "__str__", "__format__"),
    *("__contains__", "__reduce_ex__", "__setstate__", "__dlpack_device__", "__dir__"),
    *("is_floating_point", "is_complex", "is_contiguous", "is_pinned", "is_shared", "is_inference", "is_nonzero", "is_signed"),
    *("is_same_size", "is_set_to", "is_conj", "is_neg", "has_names", "refine_names", "share_memory_", "rename_"),
    *FUNCTIONS_WITHOUT_TENSORS,
}
_TAKING_OUT = {"tolist", "numpy", "__array__", "__dlpack__"}
# What they return shares memory with their argument, and is no view of it.
_SHARING = {"detach", "data", "as_subclass", "untyped_storage", "storage"}
_STOPPING = {"detach", "detach_", "data", "__deepcopy__", "new_tensor", "asarray"}
_WRITING_OPERATORS = {
    *("__setitem__", "__iadd__", "__isub__", "__imul__", "__itruediv__", "__ifloordiv__", "__imod__", "__ipow__", "__imatmul__"),
    *("__idiv__", "__iand__", "__ior__", "__ixor__", "__ilshift__", "__irshift__"),
}
_REBINDING = {"set_", "resize_", "resize_as_"}
_RANDOM = (
    *("dropout", "bernoulli", "rand", "normal", "rrelu", "multinomial", "gumbel", "fractional", "poisson", "exponential", "uniform"),
    *("attention", "lstm", "gru", "rnn", "cauchy", "geometric", "binomial", "sample"),
)
# Other functions of PyTorch do not write to what they are given under a name without an underscore.
_WRITING_QUIETLY = ("norm", "embedding", "fused", "quant", "noise", "observer")
# These choose how they compute by which argument requires a gradient.
_CHOOSING = {"linear_cross_entropy": (), "scaled_dot_product_attention": (0, 1, 2), "multi_head_attention_forward": None}
_MASKS = ("attn_mask", "key_padding_mask")


@dataclass(frozen=True, slots=True)
class Function:
    """A function that was called.

    Attributes:
        name: Its name, as a user knows it.
        is_ignored: Whether it has nothing to do with the flow of data.
        takes_values_out: Whether it makes an array or a list of a tensor, which PyTorch does not follow.
        is_backward: Whether it runs the backward pass.
        returns_gradients: Whether it runs a backward pass and returns the gradients.
        is_rebinding: Whether it gives its first argument other memory.
        writes_first: Whether it writes to its first argument, which may be a list.
        may_write: Whether it may write to its arguments although its schema does not list that.
        is_sharing: Whether the memory of its arguments is shared afterwards, and not only with views of them.
        stops_gradients: Whether its result is cut off from autograd.
        is_random: Whether it may draw random numbers.
        is_loss: Whether it is one of the loss functions of `torch.nn.functional`.
        is_known: Whether it is one of PyTorch's, so that calling it twice is harmless.
        replaceable: Positions of the arguments that may be replaced by twins; None for all.
        schema: The schema of an operator, if it has one.
    """

    name: str
    is_ignored: bool = False
    takes_values_out: bool = False
    is_backward: bool = False
    returns_gradients: bool = False
    is_rebinding: bool = False
    writes_first: bool = False
    may_write: bool = False
    is_sharing: bool = False
    stops_gradients: bool = False
    is_random: bool = False
    is_loss: bool = False
    is_known: bool = True
    replaceable: tuple[int, ...] | None = None
    schema: Any = None

    @property
    def writes_arguments(self) -> bool:
        """Whether `written` may find anything for a call without arguments by name."""
        return self.writes_first or self.schema is not None

    def written(self, arguments: _Arguments, named: _Named) -> list[Tensor]:
        """The tensors that a call will write to, as far as that can be told before it."""
        written: list[Tensor] = []
        if named:
            if named.get("out") is not None:
                written += tensors_in((named["out"],))
            if named.get("inplace") is True:
                written += tensors_in(arguments[:1] or list(named.values())[:1])
        if self.writes_first:
            written += tensors_in(arguments[:1] or [value for value in named.values() if isinstance(value, Tensor)][:1])
        elif self.name in ("batch_norm", "instance_norm"):
            if named.get("training") or named.get("use_input_stats"):
                written += tensors_in(arguments[1:3])
        elif self.schema is not None:
            for position, argument in enumerate(self.schema.arguments):
                if argument.alias_info is not None and argument.alias_info.is_write:
                    written += tensors_in(arguments[position : position + 1] or (named.get(argument.name),))
        return written

    def keeps_values(self, tensor: Tensor, named: _Named) -> bool:
        """Whether what is written to a tensor depends on what it held."""
        out = named.get("out") if named else None
        return out is None or not any(target is tensor for target in tensors_in((out,)))

    def may_replace(self, position: int | str) -> bool:
        """Whether an argument, by position or by name, may be replaced by a twin."""
        if position in _MASKS:
            return False
        return self.replaceable is None or isinstance(position, str) or position in self.replaceable


# PyTorch's own functions, which stay anyway; those of the user must not be kept alive.
_known: dict[Callable[..., Any], Function] = {}


def describe_function(function: Callable[..., Any]) -> Function:
    """Works out what is known of a function."""
    description = _known.get(function)
    if description is None:
        description = _describe(function)
        if description.is_known:
            _known[function] = description
    return description


def _describe(function: Callable[..., Any]) -> Function:
    name = str(getattr(function, "__name__", function))
    if name in ("__get__", "__set__", "__delete__"):
        name_of_attribute = str(getattr(getattr(function, "__self__", None), "__name__", ""))
        if name == "__get__":
            return Function(
                name_of_attribute,
                is_ignored=name_of_attribute not in _ATTRIBUTES,
                is_sharing=name_of_attribute in _SHARING,
                stops_gradients=name_of_attribute in _STOPPING,
            )
        return Function(name_of_attribute, is_ignored=name_of_attribute != "data", is_rebinding=True)
    schema = None
    module = str(getattr(function, "__module__", None) or "torch")
    if is_operator(function):
        schema = schema_of(function)
        name = schema.name.rpartition("::")[2]
    is_known = module.split(".")[0] in ("torch", "builtins") and (not module.startswith(OPERATORS) or module == ATEN_OPERATORS)
    is_backward = name == "backward" and module in (TENSOR_METHODS, "torch.autograd")
    returns_gradients = name == "grad" and module == "torch.autograd"
    writes_first = (name.endswith("_") and not name.endswith("__")) or name in _WRITING_OPERATORS
    return Function(
        name,
        is_ignored=name in _NO_TENSOR,
        takes_values_out=name in _TAKING_OUT,
        is_backward=is_backward,
        returns_gradients=returns_gradients,
        is_rebinding=name in _REBINDING,
        writes_first=writes_first and schema is None,
        may_write=not is_known or module == ATEN_OPERATORS or any(part in name for part in _WRITING_QUIETLY),
        # Gradients that the user asks for are values like any others; with a graph of their own, autograd knows it.
        is_sharing=not is_known or name in _SHARING,
        stops_gradients=name in _STOPPING or returns_gradients or module == "torch.nn.init",
        is_random=not is_known or any(part in name for part in _RANDOM),
        is_loss=module == FUNCTIONAL and name in LOSS_FUNCTIONS,
        is_known=is_known,
        replaceable=_CHOOSING.get(name),
        schema=schema,
    )
