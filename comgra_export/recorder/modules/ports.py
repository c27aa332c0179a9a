"""The inputs and outputs of a call of a module: the tensors in them, and the names of all of them."""

from __future__ import annotations

import dataclasses
import inspect
from collections import UserDict
from collections.abc import Iterable
from functools import lru_cache
from types import NoneType
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from comgra_export.recorder.tracing.registrations import Reference, Traits
from comgra_export.storage.model.calls import PortMeaning
from comgra_export.storage.model.layout import Kind

__all__ = [
    "Parameters",
    "Port",
    "TensorAtPort",
    "argument_ports",
    "batch_size_of",
    "describe_in_words",
    "parameters_of",
    "port_reference",
    "port_traits",
    "result_ports",
    "role_of_input",
]

# The search for tensors visits at most so much of a value. It may be large, and may contain itself.
_MAX_DEPTH = 8
_MAX_PARTS = 1000

_MAX_TEXT = 60
_MAX_SHOWN_PARTS = 8
_MAX_SHOWN_BITS = 256
_SHOWN_AS_THEY_ARE = (bool, float, complex, NoneType, torch.dtype, torch.device, torch.layout, torch.memory_format)

# Where data objects of PyTorch Geometric and Detectron keep their tensors. The user does not see these names.
_STORES = {"_store", "_mapping", "_global_store", "_node_store_dict", "_edge_store_dict", "_fields"}

# So many names are kept from step to step.
_KEPT = 16_384


class Port(NamedTuple):
    """A place where a value goes into a call or comes out of it.

    Attributes:
        path: Where: `x`, `args[0]`, `output`, `output[0]`, `output.logits`.
        tensor: The tensor that is there; None if the value is not a tensor.
        text: A description of a value that is not a tensor.
    """

    path: str
    tensor: Tensor | None
    text: str | None


class TensorAtPort(NamedTuple):
    """A tensor that a watched module was called with or returned.

    Attributes:
        node: The module, and which call of it.
        role: The name of its place in the call.
        is_input: Whether it is an input of the whole network.
        with_values: Whether its values are recorded, and not only statistics.
        histogram_values: The histogram counts this many of its values at most; 0: there is no histogram.
        meaning: What it is known to be. A pattern of attention is recorded with its values in any case, unless they are many.
    """

    node: str
    role: str
    is_input: bool
    is_result: bool
    with_values: bool
    histogram_values: int
    meaning: PortMeaning | None


class Parameters(NamedTuple):
    """The names of the arguments of a module's `forward`.

    Attributes:
        names: Those of arguments that can be given by position.
        others: The name of what comes after these: `others[0]`, `others[1]`, ...
        may_be_named: With so many arguments by position, no argument can be given by name; None if some always can.
    """

    names: tuple[str, ...]
    others: str
    may_be_named: int | None


def parameters_of(module: nn.Module) -> Parameters:
    """The names of the arguments of a module's `forward`. If they are not known, they are `args[0]`, `args[1]`, ..."""
    try:
        parameters = list(inspect.signature(module.forward).parameters.values())
    except Exception:  # Scripted modules have no signature, and the user's code may raise.
        return Parameters((), "args", None)
    names = tuple(item.name for item in parameters if item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD))
    others = next((item.name for item in parameters if item.kind is item.VAR_POSITIONAL), "args")
    is_open = any(item.kind in (item.KEYWORD_ONLY, item.VAR_KEYWORD) for item in parameters)
    return Parameters(names, others, None if is_open else len(names))


def argument_ports(parameters: Parameters, arguments: tuple[Any, ...], named: dict[str, Any]) -> list[Port]:
    """The ports of the arguments of a call."""
    ports: list[Port] = []
    names = parameters.names
    for position, value in enumerate(arguments):
        path = names[position] if position < len(names) else f"{parameters.others}[{position - len(names)}]"
        _add(path, value, ports)
    for position, (name, value) in enumerate(named.items()):
        _add(name if name.isidentifier() else f"kwargs[#{position}]", value, ports)
    return ports


def result_ports(result: object) -> list[Port]:
    """The ports of what a call returned."""
    ports: list[Port] = []
    _add("output", result, ports)
    return ports


def describe_in_words(tensor: Tensor) -> str:
    """The dtype and shape of a tensor whose numbers cannot be recorded."""
    shape = "nested" if tensor.is_nested else list(tensor.shape)
    return f"{str(tensor.dtype).removeprefix('torch.')} {shape}"


def role_of_input(path: str) -> str:
    """The role of an input at a path: `input x`. Many modules of PyTorch call their argument `input`."""
    return path if path == "input" or path.startswith(("input[", "input.")) else f"input {path}"


def batch_size_of(arguments: tuple[Any, ...], named: dict[str, Any]) -> int:
    """The size of the first dimension of the first tensor with dimensions among the arguments of a call; 1 if there is none."""
    for port in argument_ports(Parameters((), "args", None), arguments, named):
        if port.tensor is not None and port.tensor.dim() > 0 and not port.tensor.is_nested:
            return port.tensor.shape[0]
    return 1


@lru_cache(_KEPT)
def port_reference(node: str, role: str, iteration: int) -> Reference:
    """The name of the tensor at a port, and where it is shown.

    Each has a node of its own: some tensors that go into a call or come out of it may depend on others. `node` is the name of the module
    and, from its second call on, which call it is. `role` is `input x` or `output`.
    """
    name = f"{node}: {role}"
    return Reference(name, iteration, name, name)


@lru_cache(_KEPT)
def port_traits(dimensions: int, *, is_input: bool, with_values: bool, has_batch: bool, per_sample: bool) -> Traits:
    """Works out what is recorded of the tensor at a port.

    `is_input` says whether it is an input of the whole network, and `has_batch` whether its first dimension is that of the batch.
    """
    kind: Kind = "neuron" if with_values else "kpis"
    if dimensions == 0:
        kind = "single_value"
    return Traits("input" if is_input else "calculated", kind, 0 if has_batch else None, has_batch and per_sample)


def _add(path: str, value: object, ports: list[Port]) -> None:
    if isinstance(value, Tensor):
        ports.append(Port(path, value, None))
    else:
        _Walk(ports).add(path, value, 0)


class _Walk:
    """Searches a value for tensors. A part without tensors is one port with a text."""

    def __init__(self, ports: list[Port]) -> None:
        self._ports = ports
        self._parts = 0

    def add(self, path: str, value: object, depth: int) -> None:
        """Adds the tensors of a value, each under its path; or one port with a text of the value if there are none.

        Args:
            path: Where the value is among the arguments or results.
            value: A tensor, something that holds tensors, or anything else.
            depth: How many values it is nested in.
        """
        ports = self._ports
        if isinstance(value, Tensor):
            ports.append(Port(path, value, None))
            return
        first = len(ports)
        parts = _parts_of(value) if depth < _MAX_DEPTH else ()
        self._parts += len(parts)
        if self._parts <= _MAX_PARTS:
            for suffix, part in parts:
                self.add(path + suffix, part, depth + 1)
        if all(port.tensor is None for port in ports[first:]):
            ports[first:] = [Port(path, None, _text(value))]


def _parts_of(value: object) -> list[tuple[str, object]] | tuple[()]:
    """The parts of a container, each with the suffix of its path. It calls no method of the user's."""
    if isinstance(value, UserDict):
        value = value.data
    if isinstance(value, dict):
        return [(_suffix(key, position), part) for position, (key, part) in enumerate(dict.items(value))]
    if isinstance(value, (tuple, list)):
        fields = getattr(value, "_fields", None)
        if isinstance(fields, tuple) and len(fields) == len(value):
            return [(f".{field}", part) for field, part in zip(fields, value, strict=True)]
        return [(f"[{position}]", part) for position, part in enumerate(value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(f".{field.name}", getattr(value, field.name, None)) for field in dataclasses.fields(value)]
    if callable(getattr(type(value), "to", None)) and not isinstance(value, nn.Module):
        # A batch that can be moved to a device as a whole, such as a graph of PyTorch Geometric.
        attributes = getattr(value, "__dict__", None)
        if isinstance(attributes, dict):
            named = [(name, part) for name, part in dict.items(attributes) if type(name) is str]
            return [("" if name in _STORES else f".{name}", part) for name, part in named if name in _STORES or not name.startswith("_")]
    return ()


def _suffix(key: object, position: int) -> str:
    if type(key) is str and key.isidentifier():
        return f".{key}"
    return f"[{key}]" if type(key) is int else f"[#{position}]"


def _text(value: object) -> str:
    kind = type(value)
    if kind is str:
        text = repr(value[: _MAX_TEXT + 1])  # type: ignore[index]
    elif kind is int:
        text = repr(value) if value.bit_length() <= _MAX_SHOWN_BITS else "int"  # type: ignore[attr-defined]
    elif kind in _SHOWN_AS_THEY_ARE:
        text = repr(value)
    elif kind in (tuple, list, torch.Size) and len(value) <= _MAX_SHOWN_PARTS:  # type: ignore[arg-type]
        text = _enclosed(value, "[]" if kind is list else "()")  # type: ignore[arg-type]
    else:
        text = kind.__name__
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"


def _enclosed(parts: Iterable[object], brackets: str) -> str:
    shown = (_text(part) if type(part) not in (tuple, list) else "…" for part in parts)
    return brackets[0] + ", ".join(shown) + brackets[1]
