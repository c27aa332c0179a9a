"""Modules that a tracked module keeps in a plain list or dictionary, so that it does not know them as parts of itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice

from torch import Tensor, nn

from comgra_export.recorder.host.torch_internals import own_parameters, version_of
from comgra_export.recorder.modules.running import ModulePlace
from comgra_export.storage.model.network import UnregisteredEntry

__all__ = ["find_unregistered"]

_MAX_ENTRIES = 100
_MAX_ITEMS = 1000
"""At most this many values of an attribute are checked, however they are nested: it may be a large table of data."""


def find_unregistered(
    modules: Mapping[nn.Module, ModulePlace], parameters: Collection[int], versions: dict[int, int | None]
) -> tuple[UnregisteredEntry, ...]:
    """Finds lists, tuples and dictionaries of modules or parameters that are attributes of tracked modules.

    Only what holds parameters that require a gradient counts. Gradients are not read.

    Args:
        modules: The tracked modules.
        parameters: The identities of all parameters that are tracked, or that an optimizer holds.
        versions: How often each parameter had been written to when it was first met. New ones are added. What is written to since then is
            trained by something else, such as an optimizer that nobody tracks.

    Returns:
        At most 100 entries.
    """
    entries: list[UnregisteredEntry] = []
    for module, place in modules.items():
        for attribute, value in vars(module).items():
            # Nobody's own class, whose code might do anything. The tables of PyTorch begin with a line.
            if type(value) not in (list, tuple, dict) or not value or attribute in _TABLES or len(entries) == _MAX_ENTRIES:
                continue
            inner = [part for part in islice(_items(value), _MAX_ITEMS) if isinstance(part, nn.Module | nn.Parameter)]
            unknown = {
                id(each): each for part in inner for each in _parameters_of(part) if each.requires_grad and id(each) not in parameters
            }
            if unknown:
                still = [each for key, each in unknown.items() if versions.setdefault(key, version_of(each)) == version_of(each)]
                count = sum(each.grad is not None for each in still)
                kind = "dict" if type(value) is dict else "list"
                entries.append(UnregisteredEntry(place.position, attribute, kind, len(inner), len(unknown), count))
    return tuple(entries)


_TABLES = frozenset(vars(nn.Module()))


def _items(value: object, depth: int = 2) -> Iterator[object]:
    """What is in a list, a tuple or a dictionary, and in those within it; these themselves, too."""
    parts: Iterable[object] = value.values() if type(value) is dict else value if type(value) in (list, tuple) else ()
    for part in list(islice(parts, _MAX_ITEMS)):
        yield part
        if depth and type(part) in (list, tuple, dict):
            yield from _items(part, depth - 1)


def _parameters_of(part: nn.Module | Tensor) -> Iterator[nn.Parameter]:
    if isinstance(part, nn.Parameter):
        yield part
    elif isinstance(part, nn.Module):
        for module in part.modules():
            yield from (each for each in own_parameters(module).values() if each is not None)
