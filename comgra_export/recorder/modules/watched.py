"""The modules of which every call is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from weakref import WeakKeyDictionary

from torch import Tensor, nn
from torch.optim import Optimizer

from comgra_export.recorder.host.torch_internals import own_buffers
from comgra_export.recorder.modules.attention import is_attention
from comgra_export.recorder.modules.ports import Parameters, parameters_of
from comgra_export.recorder.modules.registry import is_wrapper, unwrapped
from comgra_export.recorder.modules.running import ModulePlace

__all__ = ["Entrance", "WatchedModule", "WatchedModules", "buffers_of"]


class WatchedModule(NamedTuple):
    """What a hook needs to know of a module.

    Attributes:
        position: In `Network.modules`.
        name: Its dotted name.
        parameters: What it calls its arguments.
        is_root: Whether it was given to `watch` itself, and is no part of another.
        with_values: Whether the values of its inputs and outputs are recorded, and not only statistics.
        histogram_values: Of how many values of each, at most, there is a histogram; 0: there is none.
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
    """A module by the call of which a script may come into a watched one.

    Attributes:
        root: The module given to `watch`, without wrappers.
        is_whole: Whether the call is one of that module, and not only of a part.
        is_evaluated: Whether such calls are evaluations, where they are no training.
    """

    root: nn.Module
    is_whole: bool
    is_evaluated: bool


class WatchedModules:
    """The modules given to `watch`, with all of their parts."""

    def __init__(self) -> None:
        self._roots: dict[nn.Module, tuple[bool, int]] = {}
        self._entrances: dict[nn.Module, Entrance] = {}
        self._parameters: WeakKeyDictionary[nn.Module, Parameters] = WeakKeyDictionary()
        # For how many modules that was found out, and what.
        self._updated_by: WeakKeyDictionary[Optimizer, tuple[int, bool]] = WeakKeyDictionary()

    def __contains__(self, module: nn.Module) -> bool:
        return module in self._roots

    def __len__(self) -> int:
        return len(self._roots)

    def add(self, module: nn.Module, with_values: bool, histogram_values: int) -> None:
        """Takes a tracked module.

        Args:
            module: The module, without wrappers.
            with_values: Whether values are recorded, and not only statistics.
            histogram_values: Of how many values of a tensor, at most, there is a histogram; 0: there is none.
        """
        self._roots[module] = with_values, histogram_values
        # Containers such as `nn.ModuleDict` are never called themselves.
        is_container = type(module).forward is nn.Module.forward
        for part in module.modules():
            self._entrances.setdefault(part, Entrance(module, False, is_container))
        self._entrances[module] = Entrance(module, True, True)

    def entrance(self, module: nn.Module) -> Entrance | None:
        """What it means that this module is called; None where it is not watched."""
        found = self._entrances.get(module)
        if found is None and is_wrapper(module):
            found = self._entrances.get(unwrapped(module))
        return found

    def are_updated_by(self, optimizer: Optimizer) -> bool:
        """Whether an optimizer holds a parameter of theirs. That is found out once for each."""
        known = self._updated_by.get(optimizer)
        if known is None or known[0] != len(self._roots):
            parameters = {id(parameter) for root in self._roots for parameter in root.parameters()}
            holds_one = any(id(parameter) in parameters for group in optimizer.param_groups for parameter in group["params"])
            known = self._updated_by[optimizer] = (len(self._roots), holds_one)
        return known[1]

    def modules(self, places: Mapping[nn.Module, ModulePlace]) -> dict[nn.Module, WatchedModule]:
        """All watched modules as they are now. A module in several of those given belongs to the first.

        Args:
            places: The tracked modules.
        """
        found: dict[nn.Module, WatchedModule] = {}
        for root, (with_values, histogram_values) in self._roots.items():
            for module in root.modules():
                place = places.get(module)
                if place is not None and module not in found:
                    parameters = self._parameters_of(module)
                    is_root = module in self._roots
                    found[module] = WatchedModule(
                        place.position, place.name, parameters, is_root, with_values, histogram_values, is_attention(module)
                    )
        return found

    def histogram_values_by_name(self, places: Mapping[nn.Module, ModulePlace]) -> dict[str, int]:
        """What the names of the parameters of each module given to `watch` begin with, and of how many values they have a histogram.

        Args:
            places: The tracked modules.
        """
        return {f"{places[root].name}.": histogram_values for root, (_, histogram_values) in self._roots.items() if root in places}

    def _parameters_of(self, module: nn.Module) -> Parameters:
        known = self._parameters.get(module)
        if known is None:
            known = self._parameters[module] = parameters_of(module)
        return known


def buffers_of(modules: Mapping[nn.Module, WatchedModule]) -> dict[str, Tensor]:
    """The buffers of watched modules as they are now, by their dotted names. One that several modules share is there once."""
    found: dict[int, tuple[str, Tensor]] = {}
    for module, watched in modules.items():
        for name, buffer in own_buffers(module).items():
            if buffer is not None and "*" not in name and not nn.parameter.is_lazy(buffer):
                found.setdefault(id(buffer), (f"{watched.name}.{name}", buffer))
    return dict(found.values())
