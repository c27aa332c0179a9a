"""What goes into a call of a module and what comes out: finding the tensors in it, and naming all of it."""

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
from comgra_export.storage.model import Kind, PortMeaning

__all__ = [
    "Parameters",
    "Port",
    "TensorAtPort",
    "argument_ports",
    "batch_size_of",
    "describe_in_words",
    "describe_port",
    "parameters_of",
    "result_ports",
    "role_of_input",
]

# Of what is passed, so much is looked through for tensors. It may be large, and may contain itself.
_MAX_DEPTH = 8
_MAX_PARTS = 1000

_MAX_TEXT = 60
_MAX_SHOWN_PARTS = 8
_MAX_SHOWN_BITS = 256
_SHOWN_AS_THEY_ARE = (bool, float, complex, NoneType, torch.dtype, torch.device, torch.layout, torch.memory_format)

# So many descriptions are kept from step to step.
_KEPT = 16_384


class Port(NamedTuple):
    """A place where something goes into a call or comes out of it.

    Attributes:
        path: Where: `x`, `args[0]`, `output`, `output[0]`, `output.logits`.
        tensor: The tensor that is there, or None where something else is.
        text: What is there, where it is no tensor.
    """

    path: str
    tensor: Tensor | None
    text: str | None


class TensorAtPort(NamedTuple):
    """What is known of a tensor that a watched module was called with or returned.

    Attributes:
        node: Which call of which module.
        role: As what it went in or came out.
        is_input: Whether it is an input of the whole network.
        is_result: Whether it was returned.
        with_values: Whether its values are recorded, and not only statistics.
        histogram_values: Of how many of its values, at most, there is a histogram; 0: there is none.
        meaning: What it is known to be. The values of a pattern of attention are recorded in any case, unless they are many.
    """

    node: str
    role: str
    is_input: bool
    is_result: bool
    with_values: bool
    histogram_values: int
    meaning: PortMeaning | None


class Parameters(NamedTuple):
    """What `forward` of a module calls its arguments.

    Attributes:
        names: Of those that can be given by position.
        others: What comes after these is called `others[0]`, `others[1]`, ...
        may_be_named: From how many arguments by position on none can be given by name; None where some always can.
    """

    names: tuple[str, ...]
    others: str
    may_be_named: int | None


def parameters_of(module: nn.Module) -> Parameters:
    """What `forward` of a module calls its arguments. Where it does not say, they are `args[0]`, `args[1]`, ..."""
    try:
        parameters = list(inspect.signature(module.forward).parameters.values())
    except Exception:  # Scripted modules have none, and code of the user may be in the way.
        return Parameters((), "args", None)
    names = tuple(one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD))
    others = next((one.name for one in parameters if one.kind is one.VAR_POSITIONAL), "args")
    is_open = any(one.kind in (one.KEYWORD_ONLY, one.VAR_KEYWORD) for one in parameters)
    return Parameters(names, others, None if is_open else len(names))


def argument_ports(parameters: Parameters, arguments: tuple[Any, ...], named: dict[str, Any]) -> list[Port]:
    """The ports of the arguments of a call.

    Args:
        parameters: What the module calls them.
        arguments: Those by position.
        named: Those by name.
    """
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
    """What a tensor is of which no numbers can be recorded."""
    shape = "nested" if tensor.is_nested else list(tensor.shape)
    return f"{str(tensor.dtype).removeprefix('torch.')} {shape}"


def role_of_input(path: str) -> str:
    """The role of what goes in at a path: `input x`. Many modules of PyTorch call their argument `input`."""
    return path if path == "input" or path.startswith(("input[", "input.")) else f"input {path}"


def batch_size_of(arguments: tuple[Any, ...], named: dict[str, Any]) -> int:
    """The size of the first dimension of the first tensor with dimensions among the arguments of a call; 1 where there is none."""
    for port in argument_ports(Parameters((), "args", None), arguments, named):
        if port.tensor is not None and port.tensor.dim() > 0 and not port.tensor.is_nested:
            return port.tensor.shape[0]
    return 1


@lru_cache(_KEPT)
def describe_port(
    node: str, role: str, iteration: int, is_input: bool, with_values: bool, dimensions: int, has_batch: bool, per_sample: bool
) -> tuple[Reference, Traits]:
    """Works out what is recorded of the tensor at a port, and where it is shown.

    Each has a node of its own: of the tensors that go into a call or come out of it, some may depend on others.

    Args:
        node: The name of the module and, from its second call on, which call it is.
        role: `input x`, `output`.
        iteration: In which it is registered.
        is_input: Whether it is an input of the whole network.
        with_values: Whether its values are recorded, and not only statistics.
        dimensions: How many dimensions it has.
        has_batch: Whether the first of them is that of the batch.
        per_sample: Whether samples are recorded one by one.
    """
    kind: Kind = "single_value" if dimensions == 0 else "neuron" if with_values else "kpis"
    name = f"{node}: {role}"
    traits = Traits("input" if is_input else "calculated", kind, 0 if has_batch else None, has_batch and per_sample)
    return Reference(name, iteration, name, name), traits


def _add(path: str, value: object, ports: list[Port]) -> None:
    if isinstance(value, Tensor):
        ports.append(Port(path, value, None))
    else:
        _Walk(ports).add(path, value, 0)


class _Walk:
    """Looks through a value for tensors. What holds none is one port, with a text."""

    def __init__(self, ports: list[Port]) -> None:
        self._ports = ports
        self._parts = 0

    def add(self, path: str, value: object, depth: int) -> None:
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
    """What a container holds, each with what is added to its path. Nothing of it is computed: no method of the user's is called."""
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
