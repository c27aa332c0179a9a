"""The watched modules: every call of them is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from weakref import ref

from torch import Tensor, nn
from torch.optim import Optimizer

from comgra_export.recorder.host.torch_internals import own_buffers
from comgra_export.recorder.modules.attention import is_attention
from comgra_export.recorder.modules.ports import Parameters, parameters_of
from comgra_export.recorder.modules.registry import is_wrapper, unwrapped
from comgra_export.recorder.modules.running import ModulePlace

__all__ = ["Entrance", "WatchedModule", "WatchedModules", "buffers_of"]


class WatchedModule(NamedTuple):
    """A watched module, with what a hook needs to know.

    Attributes:
        position: In `Network.modules`.
        is_root: Whether it was given to `watch` itself, and is not a part of another module.
        with_values: Whether the values of its inputs and outputs are recorded, and not only statistics.
        histogram_values: The histogram of each counts this many values at most; 0: there are no histograms.
        is_attention: Whether it computes attention.
    """

    position: int
    name: str
    parameters: Parameters
    is_root: bool
    with_values: bool
    histogram_values: int
    is_attention: bool


class Entrance(NamedTuple):
    """A module whose call may lead a script into a watched module.

    Attributes:
        root: The module given to `watch`, without wrappers.
        is_whole: Whether the module is the root itself, and not only a part of it.
        may_be_named: As that of `Parameters`, for a module that is whole; None for others.
    """

    root: nn.Module
    is_whole: bool
    may_be_named: int | None


class _RootSettings(NamedTuple):
    """What is to be recorded of a module given to `watch`, and of its parts; as in `WatchedModule`."""

    with_values: bool
    histogram_values: int


class _Answer(NamedTuple):
    """Whether an optimizer holds a parameter of the watched modules.

    Attributes:
        roots: How many modules had been given to `watch` when this was found out.
    """

    roots: int
    holds_one: bool


class WatchedModules:
    """The modules given to `watch`, with all of their parts."""

    def __init__(self) -> None:
        self._roots: dict[nn.Module, _RootSettings] = {}
        self._entrances: dict[nn.Module, Entrance] = {}
        self._parameters: dict[ref[nn.Module], Parameters] = {}
        self._updated_by: dict[ref[Optimizer], _Answer] = {}

    def __contains__(self, module: nn.Module) -> bool:
        return module in self._roots

    def __len__(self) -> int:
        return len(self._roots)

    def add(self, module: nn.Module, *, with_values: bool, histogram_values: int) -> None:
        """Takes a tracked module, without wrappers. `WatchedModule` describes the arguments."""
        self._roots[module] = _RootSettings(with_values, histogram_values)
        for part in module.modules():
            self._entrances.setdefault(part, Entrance(module, is_whole=False, may_be_named=None))
        self._entrances[module] = Entrance(module, is_whole=True, may_be_named=self._parameters_of(module).may_be_named)

    def entrance(self, module: nn.Module) -> Entrance | None:
        """What a call of this module means; None if it is not watched."""
        entrance = self._entrances.get(module)
        if entrance is None and is_wrapper(module):
            entrance = self._entrances.get(unwrapped(module))
        return entrance

    def are_updated_by(self, optimizer: Optimizer) -> bool:
        """Whether an optimizer holds a parameter of theirs. It is checked once for each optimizer."""
        known = self._updated_by.get(ref(optimizer))
        if known is None or known.roots != len(self._roots):
            parameters = {id(parameter) for root in self._roots for parameter in root.parameters()}
            holds_one = any(id(parameter) in parameters for group in optimizer.param_groups for parameter in group["params"])
            # Not a `WeakKeyDictionary`: this is asked at every step, and takes several times as long there.
            known = self._updated_by[ref(optimizer, self._updated_by.pop)] = _Answer(len(self._roots), holds_one)
        return known.holds_one

    def modules(self, places: Mapping[nn.Module, ModulePlace]) -> dict[nn.Module, WatchedModule]:
        """All watched modules as they are now. A module in several of those given belongs to the first."""
        watched: dict[nn.Module, WatchedModule] = {}
        for root, settings in self._roots.items():
            for module in root.modules():
                place = places.get(module)
                if place is not None and module not in watched:
                    parameters = self._parameters_of(module)
                    is_root = module in self._roots
                    watched[module] = WatchedModule(
                        place.position,
                        place.name,
                        parameters,
                        is_root=is_root,
                        with_values=settings.with_values,
                        histogram_values=settings.histogram_values,
                        is_attention=is_attention(module),
                    )
        return watched

    def histogram_values_by_name(self, places: Mapping[nn.Module, ModulePlace]) -> dict[str, int]:
        """The prefix of the parameter names of each module given to `watch`, and how many values their histograms count."""
        return {f"{places[root].name}.": settings.histogram_values for root, settings in self._roots.items() if root in places}

    def _parameters_of(self, module: nn.Module) -> Parameters:
        known = self._parameters.get(ref(module))
        if known is None:
            known = self._parameters[ref(module, self._parameters.pop)] = parameters_of(module)
        return known


def buffers_of(modules: Mapping[nn.Module, WatchedModule]) -> dict[str, Tensor]:
    """The buffers of watched modules as they are now, by their dotted names. A buffer that several modules share is there once."""
    buffers: dict[int, tuple[str, Tensor]] = {}
    for module, watched in modules.items():
        for name, buffer in own_buffers(module).items():
            if buffer is not None and "*" not in name and not nn.parameter.is_lazy(buffer):
                buffers.setdefault(id(buffer), (f"{watched.name}.{name}", buffer))
    return dict(buffers.values())
