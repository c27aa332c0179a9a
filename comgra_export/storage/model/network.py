"""The modules, parameters and optimizers of the network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["MOST_OPTIMIZERS", "ModuleEntry", "Network", "OptimizerEntry", "OptimizerGroup", "ParameterEntry", "UnregisteredEntry"]

MOST_OPTIMIZERS = 100
"""A recording names no further optimizers of which the user says nothing. A script may make one in each step."""


@dataclass(frozen=True)
class ModuleEntry:
    """A module of the network: dotted name, class name, position of the parent (-1: tracked by the user), settings as text."""

    name: str
    type: str
    parent: int
    description: str = ""


@dataclass(frozen=True)
class ParameterEntry:
    """A parameter: dotted name, position of its module, shape, dtype in safetensors' spelling.

    `device` is the kind of device that holds it, such as `cuda`; empty if it is not known.
    """

    name: str
    module: int
    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool
    alias_of: str | None = None
    device: str = ""


@dataclass(frozen=True)
class OptimizerGroup:
    """A parameter group of an optimizer.

    Attributes:
        parameters: Positions in `Network.parameters`; those of parameters outside the tracked modules are left out.
        options: Its settings when it was handed over, such as `lr` and `weight_decay`: numbers, booleans, strings and nulls.
    """

    parameters: tuple[int, ...]
    options: Mapping[str, float | bool | str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class OptimizerEntry:
    """An optimizer that the user handed over: its name, its class name and its groups."""

    name: str
    type: str
    groups: tuple[OptimizerGroup, ...]


@dataclass(frozen=True)
class UnregisteredEntry:
    """A plain list, dictionary or object with modules that the module around it does not know as its parts.

    Attributes:
        module: Position of that module in `Network.modules`.
        attribute: The attribute that holds it.
        kind: `list`, `dict` or `object`.
        items: How many modules and parameters are in it.
        parameters: How many of their parameters require a gradient and are neither tracked nor in a tracked optimizer.
        with_gradient: How many of these had a gradient when a step was recorded, and were never written to.
    """

    module: int
    attribute: str
    kind: str
    items: int
    parameters: int
    with_gradient: int


@dataclass(frozen=True)
class Network:
    """`network.json`: parents come before their children.

    Attributes:
        optimizers: None if none was handed over.
        session: The first session whose steps mean these lists when they give positions in them.
    """

    modules: tuple[ModuleEntry, ...] = ()
    parameters: tuple[ParameterEntry, ...] = ()
    optimizers: tuple[OptimizerEntry, ...] | None = None
    session: int = 0
    unregistered: tuple[UnregisteredEntry, ...] = ()
