"""The modules of a network, as the names of its weights show them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from comgra_export.importers.checkpoints.tensors import Checkpoint
from comgra_export.storage import ModuleEntry, Network, ParameterEntry

__all__ = ["names_of_changes", "network_of"]

_CHANGE = "change"
# A name with a thousand dots is no path of modules.
_MAX_DEPTH = 64


def network_of(checkpoints: Sequence[Checkpoint]) -> Network:
    """The network with all tensors that checkpoints hold: of each, as the first that has it.

    The name of a module is what stands before the last dot. A tensor without a dot in its name is in a module `model`.
    """
    modules: dict[str, ModuleEntry] = {}
    positions: dict[str, int] = {}
    parameters: dict[str, ParameterEntry] = {}
    for checkpoint in checkpoints:
        for name, tensor in checkpoint.tensors.items():
            if name not in parameters:
                module = _module(name.rpartition(".")[0] or "model", modules, positions)
                parameters[name] = ParameterEntry(name, module, tensor.shape, tensor.dtype, requires_grad=True)
    return Network(tuple(modules.values()), tuple(parameters.values()))


def _module(name: str, modules: dict[str, ModuleEntry], positions: dict[str, int]) -> int:
    """The position of a module, which is added after the modules around it if it is new."""
    parent = -1
    parts = name.split(".", _MAX_DEPTH)
    for end in range(1, len(parts) + 1):
        path = ".".join(parts[:end])
        if path not in modules:
            positions[path] = len(modules)
            modules[path] = ModuleEntry(path, "", parent)
        parent = positions[path]
    return parent


def names_of_changes(names: Sequence[str], taken: Collection[str]) -> dict[str, str]:
    """A name for the change of each tensor that no tensor has."""
    made: dict[str, str] = {}
    for name in names:
        candidate = f"{name} ({_CHANGE})"
        while candidate in taken:
            candidate += "'"
        made[name] = candidate
    return made
