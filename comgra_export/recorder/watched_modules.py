"""The modules of which every call is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from weakref import WeakKeyDictionary

from torch import nn

from comgra_export.recorder.module_watch import ModulePlace
from comgra_export.recorder.ports import Parameters, parameters_of

__all__ = ["WatchedModule", "WatchedModules"]


class WatchedModule(NamedTuple):
    """What a hook needs to know of a module.

    Attributes:
        position: In `Network.modules`.
        name: Its dotted name.
        parameters: What it calls its arguments.
        is_root: Whether it was given to `watch` itself, and is no part of another.
        with_values: Whether the values of its inputs and outputs are recorded, and not only statistics.
    """

    position: int
    name: str
    parameters: Parameters
    is_root: bool
    with_values: bool


class WatchedModules:
    """The modules given to `watch`, with all of their parts."""

    def __init__(self) -> None:
        self._roots: dict[nn.Module, bool] = {}
        self._wrapped: dict[nn.Module, nn.Module] = {}
        self._parameters: WeakKeyDictionary[nn.Module, Parameters] = WeakKeyDictionary()

    def __contains__(self, module: nn.Module) -> bool:
        return module in self._roots

    def __len__(self) -> int:
        return len(self._roots)

    @property
    def roots(self) -> tuple[nn.Module, ...]:
        """The modules given to `watch`, without wrappers."""
        return tuple(self._roots)

    def add(self, module: nn.Module, given: nn.Module, with_values: bool) -> None:
        """Takes a tracked module.

        Args:
            module: The module, without wrappers.
            given: The module as it was given, which may be a wrapper of it.
            with_values: Whether values are recorded, and not only statistics.
        """
        self._roots[module] = with_values
        self._wrapped[module] = self._wrapped[given] = module

    def root_of(self, module: nn.Module) -> nn.Module | None:
        """The module given to `watch`, without wrappers, where this is it or was given in its place."""
        return self._wrapped.get(module)

    def modules(self, places: Mapping[nn.Module, ModulePlace]) -> dict[nn.Module, WatchedModule]:
        """All watched modules as they are now. A module in several of those given belongs to the first.

        Args:
            places: The tracked modules.
        """
        found: dict[nn.Module, WatchedModule] = {}
        for root, with_values in self._roots.items():
            for module in root.modules():
                place = places.get(module)
                if place is not None and module not in found:
                    parameters = self._parameters_of(module)
                    found[module] = WatchedModule(place.position, place.name, parameters, module in self._roots, with_values)
        return found

    def _parameters_of(self, module: nn.Module) -> Parameters:
        known = self._parameters.get(module)
        if known is None:
            known = self._parameters[module] = parameters_of(module)
        return known
