"""The modules and parameters of the tracked networks, and their names."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

from comgra_export.errors import MisuseError
from comgra_export.recorder.dtypes import dtype_name
from comgra_export.recorder.registrations import check_name
from comgra_export.storage.model import ModuleEntry, Network, ParameterEntry

__all__ = ["ModuleRegistry"]

# Wrappers that hold the user's module under one more name, which would make two runs of one network look different.
_WRAPPERS = {"DistributedDataParallel": "module", "DataParallel": "module", "OptimizedModule": "_orig_mod"}


@dataclass(frozen=True)
class _ParameterSlot:
    module: nn.Module
    attribute: str
    name: str


class ModuleRegistry:
    """Names every module and parameter of the networks given to `track_module`.

    Args:
        visual_prefixes: Every parameter's name must begin with one of them.
    """

    def __init__(self, visual_prefixes: tuple[str, ...]) -> None:
        self._visual_prefixes = visual_prefixes
        self._names: dict[nn.Module, str] = {}
        self._modules: list[ModuleEntry] = []
        self._slots: list[_ParameterSlot] = []
        self._parameters: list[ParameterEntry] = []
        self._first_names: dict[int, str] = {}

    def track(self, name: str, module: nn.Module) -> None:
        """Names a module, its submodules and their parameters: `name.submodule.parameter`.

        A module or parameter that is found in several places is known by its first name; the others are recorded as aliases. What is
        inside of such a module is named once, since modules that share many others have more paths through them than can be listed.

        Raises:
            MisuseError: The name is not usable or taken, the module is tracked already, or a parameter has no shape yet.
        """
        check_name("track_module", "module", name)
        if not isinstance(module, nn.Module):
            raise MisuseError(f"track_module: {name!r} is a {type(module).__name__}. Give a torch.nn.Module.")
        if "." in name:
            raise MisuseError(
                f"track_module: the name {name!r} contains a dot, which separates modules from their parts. Choose a name without it."
            )
        if any(entry.name == name for entry in self._modules):
            raise MisuseError(f"track_module: the name {name!r} is taken by a module tracked before. Give each module a name of its own.")
        inner = _unwrapped(module)
        if inner in self._names:
            raise MisuseError(
                f"track_module: the module to be named {name!r} is tracked already, as {self._names[inner]!r}. Track it, or "
                "what contains it, once."
            )
        found = _Findings(len(self._modules))
        _collect(inner, name, -1, found)
        self._check_parameters(found)
        self._names[module] = name
        for part, part_name in found.names.items():
            self._names.setdefault(part, part_name)
        self._modules += found.modules
        for slot, owner in zip(found.slots, found.owners, strict=True):
            self._add_parameter(slot, owner)

    def name_of(self, module: nn.Module) -> str:
        """The dotted name of a module.

        Raises:
            MisuseError: It is not part of a tracked module.
        """
        if module not in self._names:
            raise MisuseError(f"get_name_of_module: this {type(module).__name__} is not part of a tracked module. Call track_module first.")
        return self._names[module]

    def network(self) -> Network:
        """All modules and parameters, for `network.json`."""
        return Network(tuple(self._modules), tuple(self._parameters))

    def parameters(self) -> dict[str, nn.Parameter]:
        """The parameters as they are now, by their first names. Each is there once."""
        found: dict[str, nn.Parameter] = {}
        seen: set[int] = set()
        for slot in self._slots:
            # Looked up anew each time: code may replace a parameter (pruning, resized embeddings).
            parameter = slot.module._parameters.get(slot.attribute)
            if parameter is not None and id(parameter) not in seen:
                seen.add(id(parameter))
                found[slot.name] = parameter
        return found

    def buffers(self) -> set[int]:
        """Identities of all buffers: state of the modules, such as running means."""
        return {id(buffer) for module in self._names for buffer in module._buffers.values() if buffer is not None}

    def _check_parameters(self, found: _Findings) -> None:
        for slot in found.slots:
            parameter = slot.module._parameters[slot.attribute]
            if parameter is not None and nn.parameter.is_lazy(parameter):
                raise MisuseError(
                    f"track_module: the parameter {slot.name!r} has no shape yet. Run the module once on some input before tracking it."
                )
            if not slot.name.startswith(self._visual_prefixes):
                raise MisuseError(
                    f"track_module: the parameter {slot.name!r} begins with none of prefixes_for_grouping_module_parameters_visually, "
                    f"{list(self._visual_prefixes)}. Add a prefix for it; '' at the end of the list covers the rest."
                )

    def _add_parameter(self, slot: _ParameterSlot, owner: int) -> None:
        parameter = slot.module._parameters[slot.attribute]
        assert parameter is not None
        first_name = self._first_names.setdefault(id(parameter), slot.name)
        self._slots.append(slot)
        self._parameters.append(
            ParameterEntry(
                name=slot.name,
                module=owner,
                shape=tuple(parameter.shape),
                dtype=dtype_name(parameter.dtype),
                requires_grad=parameter.requires_grad,
                alias_of=None if first_name == slot.name else first_name,
            )
        )


class _Findings:
    """What one call of `track` found, kept apart until all of it is known to be usable."""

    def __init__(self, first_position: int) -> None:
        self.first_position = first_position
        self.modules: list[ModuleEntry] = []
        self.names: dict[nn.Module, str] = {}
        self.slots: list[_ParameterSlot] = []
        self.owners: list[int] = []
        self.path: list[nn.Module] = []


def _collect(module: nn.Module, name: str, parent: int, found: _Findings) -> None:
    check_name("track_module", "module", name)
    position = found.first_position + len(found.modules)
    found.modules.append(ModuleEntry(name, type(module).__name__, parent))
    for attribute, parameter in module._parameters.items():
        if parameter is not None:
            check_name("track_module", "parameter", f"{name}.{attribute}")
            found.slots.append(_ParameterSlot(module, attribute, f"{name}.{attribute}"))
            found.owners.append(position)
    if module in found.names:
        return
    found.names[module] = name
    found.path.append(module)
    for attribute, child in module._modules.items():
        # A module may hold one that contains it, for convenience; going there again would never end.
        if child is not None and not any(child is outer for outer in found.path):
            _collect(child, f"{name}.{attribute}", position, found)
    found.path.pop()


def _unwrapped(module: nn.Module) -> nn.Module:
    while type(module).__name__ in _WRAPPERS:
        inner = getattr(module, _WRAPPERS[type(module).__name__], None)
        if not isinstance(inner, nn.Module):
            break
        module = inner
    return module
