"""The modules and parameters of the tracked networks, and their names."""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import lru_cache
from typing import NamedTuple

from torch import nn

from comgra_export.errors import MisuseError
from comgra_export.recorder.host.dtypes import dtype_name
from comgra_export.recorder.host.sharding import resting_parameters, type_name
from comgra_export.recorder.host.torch_internals import COMPILED_MODULE, own_buffers, own_children, own_parameters
from comgra_export.recorder.modules.running import ModulePlace
from comgra_export.recorder.tracing.registrations import check_name
from comgra_export.storage.model.network import ModuleEntry, Network, ParameterEntry

__all__ = ["ModuleRegistry", "is_wrapper", "unwrapped"]

# Wrappers that hold the user's module under one more name, which would make two runs of one network look different.
_WRAPPERS = {"DistributedDataParallel": "module", "DataParallel": "module", "OptimizedModule": COMPILED_MODULE}

# Descriptions are written by users.
_MAX_DESCRIPTION = 1000

# They are mostly the same as in the last step. Identical objects are compared faster.
_module_entry = lru_cache(16_384)(ModuleEntry)
_parameter_entry = lru_cache(16_384)(ParameterEntry)


class _Place(NamedTuple):
    """The place of a parameter. It is read each time, since code may replace the parameter (pruning, resized embeddings, sharding)."""

    module: nn.Module
    attribute: str

    @property
    def parameter(self) -> nn.Parameter | None:
        # Spectral normalization, for example, computes something in its place. Such code may change the training, so it is not run.
        held = own_parameters(self.module)
        value = held[self.attribute] if self.attribute in held else self.module.__dict__.get(self.attribute)
        return value if isinstance(value, nn.Parameter) else None


class ModuleRegistry:
    """Names every module and parameter of the networks given to `track_module`.

    Positions in the lists of modules and parameters never change. Later additions to a network come at their end. Every parameter's name
    must begin with one of the `visual_prefixes`.
    """

    def __init__(self, visual_prefixes: tuple[str, ...]) -> None:
        self._visual_prefixes = visual_prefixes
        self._roots: dict[str, nn.Module] = {}
        self._known: dict[nn.Module, ModulePlace] = {}
        self._wrappers: dict[nn.Module, str] = {}
        self._modules: dict[str, ModuleEntry] = {}
        self._positions: dict[str, int] = {}
        self._descriptions: dict[nn.Module, str] = {}
        self._parameters: dict[str, ParameterEntry] = {}
        self._places: dict[str, _Place] = {}

    def track(self, name: str, module: nn.Module) -> None:
        """Names a module, its submodules and their parameters: `name.submodule.parameter`.

        A module or parameter in several places is known by its first name. The other names are recorded as aliases. The content of such a
        module is named once: modules that share many others have more paths through them than can be listed.

        Raises:
            MisuseError: The name is not usable or taken, the module is tracked already, or a parameter has no shape yet.
        """
        check_name("track_module", "module", name)
        if not isinstance(module, nn.Module):
            raise MisuseError(f"track_module: {name!r} is a {type(module).__name__}. Give a torch.nn.Module.")
        if "." in name:
            raise MisuseError(
                f"track_module: the name {name!r} contains a dot, which separates a module from its submodules. Choose a name without it."
            )
        if name in self._roots:
            raise MisuseError(f"track_module: the name {name!r} is taken by a module tracked before. Give each module a name of its own.")
        inner = unwrapped(module)
        if inner in self._known:
            raise MisuseError(
                f"track_module: the module {name!r} is already tracked as {self._known[inner].name!r}. Track each module only once, "
                "by itself or as a part of another."
            )
        additions = self._collect(name, inner)
        self._roots[name] = inner
        if module is not inner:
            self._wrappers[module] = name
        self._take(additions)

    def refresh(self) -> bool:
        """Names what was added to the tracked networks since, and notes what was replaced.

        Returns:
            Whether anything has changed.

        Raises:
            MisuseError: As `track`, for what was added.
        """
        before = self.network()
        for name, root in self._roots.items():
            self._take(self._collect(name, root))
        return self.network() != before

    def __contains__(self, module: nn.Module) -> bool:
        return module in self._known

    def name_of(self, module: nn.Module) -> str:
        """The dotted name of a module.

        Raises:
            MisuseError: It is not part of a tracked module.
        """
        place = self._known.get(module)
        name = self._wrappers.get(module) if place is None else place.name
        if name is None:
            raise MisuseError(f"get_name_of_module: this {type(module).__name__} is not part of a tracked module. Call track_module first.")
        return name

    def network(self) -> Network:
        """All modules and parameters, for `network.json`."""
        return Network(tuple(self._modules.values()), tuple(self._parameters.values()))

    def modules(self) -> dict[nn.Module, ModulePlace]:
        """Position and first name of every module that is tracked now, except wrappers."""
        return dict(self._known)

    def parameters(self) -> dict[str, nn.Parameter]:
        """The parameters as they are now, by their first names. Each is there once."""
        parameters: dict[str, nn.Parameter] = {}
        seen: set[int] = set()
        for name, parameter in self._present():
            if id(parameter) not in seen:
                seen.add(id(parameter))
                parameters[name] = parameter
        return parameters

    def buffers(self) -> set[int]:
        """Identities of all buffers: state of the modules, such as running means."""
        return {id(buffer) for module in self._known for buffer in own_buffers(module).values() if buffer is not None}

    def parameters_by_position(self) -> dict[int, nn.Parameter]:
        """The parameters as they are now, by the position of their first name in the list. Each is there once."""
        positions = {name: position for position, name in enumerate(self._parameters)}
        return {positions[name]: parameter for name, parameter in self.parameters().items()}

    def _present(self) -> Iterator[tuple[str, nn.Parameter]]:
        """Every name of every parameter that is there."""
        resting = resting_parameters(self._known)
        for name, place in self._places.items():
            parameter = resting.get((place.module, place.attribute)) if resting else None
            if parameter is None:
                parameter = place.parameter
            if parameter is not None:
                yield name, parameter

    def _collect(self, name: str, root: nn.Module) -> _Additions:
        additions = _Additions(self._modules, self._places)
        _walk(root, name, "", additions)
        for parameter_name, place in additions.places.items():
            parameter = place.parameter
            if parameter is not None and nn.parameter.is_lazy(parameter):
                raise MisuseError(
                    f"track_module: the parameter {parameter_name!r} has no shape yet. Run the module once on some input before "
                    "tracking it."
                )
            if parameter_name not in self._places and not parameter_name.startswith(self._visual_prefixes):
                raise MisuseError(
                    f"track_module: the parameter {parameter_name!r} begins with none of prefixes_for_grouping_module_parameters_visually, "
                    f"{list(self._visual_prefixes)}. Add a prefix for it; '' at the end of the list covers the rest."
                )
        return additions

    def _take(self, additions: _Additions) -> None:
        for name, (module, parent) in additions.modules.items():
            self._positions.setdefault(name, len(self._positions))
            if module not in self._descriptions:
                self._descriptions[module] = _description(module)
            self._known.setdefault(module, ModulePlace(self._positions[name], name))
            self._modules[name] = _module_entry(name, type_name(module), self._positions.get(parent, -1), self._descriptions[module])
        self._places.update(additions.places)
        first_names: dict[int, str] = {}
        for name, parameter in self._present():
            first_name = first_names.setdefault(id(parameter), name)
            self._parameters[name] = _parameter_entry(
                name,
                self._positions[name.rpartition(".")[0]],
                tuple(parameter.shape),
                dtype_name(parameter.dtype),
                parameter.requires_grad,
                None if first_name == name else first_name,
                device=parameter.device.type,
            )


class _Additions:
    """The modules and parameters that a walk through a network met. They are not taken before all of them are known to be usable.

    The names in `known_modules` and `known_parameters` are usable.

    Attributes:
        modules: By name: the module, and the name of its parent, empty for the root.
        places: The places of the parameters, by name.
    """

    def __init__(self, known_modules: Container[str], known_parameters: Container[str]) -> None:
        self.known_modules = known_modules
        self.known_parameters = known_parameters
        self.modules: dict[str, tuple[nn.Module, str]] = {}
        self.places: dict[str, _Place] = {}
        self.seen: set[nn.Module] = set()
        self.path: set[int] = set()


def _walk(module: nn.Module, name: str, parent: str, additions: _Additions) -> None:
    if name not in additions.known_modules:
        check_name("track_module", "module", name)
    additions.modules[name] = (module, parent)
    for attribute, parameter in own_parameters(module).items():
        if parameter is not None:
            parameter_name = f"{name}.{attribute}"
            if parameter_name not in additions.known_parameters:
                check_name("track_module", "parameter", parameter_name)
            additions.places[parameter_name] = _Place(module, attribute)
    if module in additions.seen:
        return
    additions.seen.add(module)
    additions.path.add(id(module))
    for attribute, child in own_children(module).items():
        # A module may hold one that contains it, for convenience; going there again would never end.
        if child is not None and id(child) not in additions.path:
            _walk(child, f"{name}.{attribute}", name, additions)
    additions.path.remove(id(module))


def _description(module: nn.Module) -> str:
    """A module's own description of its settings; empty if its code fails."""
    try:
        if isinstance(module, nn.MultiheadAttention):
            # It prints nothing, and this decides which dimension is that of the samples.
            dropout = f", dropout={module.dropout}" if module.dropout else ""
            return f"batch_first={bool(module.batch_first)}{dropout}"[:_MAX_DESCRIPTION]
        return str(module.extra_repr())[:_MAX_DESCRIPTION]
    except Exception:
        return ""


def is_wrapper(module: nn.Module) -> bool:
    """Whether a module is a wrapper of torch that holds another one."""
    return type(module).__name__ in _WRAPPERS


def unwrapped(module: nn.Module) -> nn.Module:
    """The module within wrappers of torch."""
    while is_wrapper(module):
        inner = getattr(module, _WRAPPERS[type(module).__name__], None)
        if not isinstance(inner, nn.Module):
            break
        module = inner
    return module
