"""Modules that a tracked module keeps in a plain list or dictionary, so that it does not know them as parts of itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import cast

from torch import Tensor, nn

from comgra_export.recorder.host.torch_internals import own_parameters, version_of
from comgra_export.recorder.modules.running import ModulePlace
from comgra_export.storage.model.network import UnregisteredEntry

__all__ = ["find_unregistered"]

_MAX_ENTRIES = 100
_MAX_ITEMS = 1000
"""At most this many values of an attribute are checked, however they are nested: it may be a large table of data."""


def find_unregistered(
    modules: Mapping[nn.Module, ModulePlace], known_parameters: Callable[[], Collection[int]], versions: dict[int, int | None]
) -> tuple[UnregisteredEntry, ...]:
    """Finds lists, tuples and dictionaries of modules or parameters that are attributes of tracked modules.

    Only what holds parameters that require a gradient counts. Gradients are not read.

    Args:
        modules: The tracked modules.
        known_parameters: Returns the identities of all parameters that are tracked, or that an optimizer holds. Called if something was
            found.
        versions: How often each parameter had been written to when it was first met. New ones are added. What is written to since then is
            trained by something else, such as an optimizer that nobody tracks.

    Returns:
        At most 100 entries.
    """
    entries: list[UnregisteredEntry] = []
    known: Collection[int] | None = None
    for module, place in modules.items():
        for attribute, value in vars(module).items():
            # Nobody's own class, whose code might do anything.
            if type(value) not in _CONTAINERS or not value or attribute in _TABLES or _holds_plain_values(value):
                continue
            if len(entries) == _MAX_ENTRIES:
                break
            inner = [part for part in islice(_items(value), _MAX_ITEMS) if isinstance(part, nn.Module | nn.Parameter)]
            if inner and known is None:
                known = known_parameters()
            unknown = {
                id(each): each for part in inner for each in _parameters_of(part) if each.requires_grad and id(each) not in (known or ())
            }
            if unknown:
                still = [each for key, each in unknown.items() if versions.setdefault(key, version_of(each)) == version_of(each)]
                count = sum(each.grad is not None for each in still)
                kind = "dict" if type(value) is dict else "list"
                entries.append(UnregisteredEntry(place.position, attribute, kind, len(inner), len(unknown), count))
    return tuple(entries)


_TABLES = frozenset(vars(nn.Module()))
"""What PyTorch keeps in every module: tables of its parts and hooks."""

_CONTAINERS = frozenset({list, tuple, dict})
_PLAIN = frozenset({int, float, bool, type(None)})


def _holds_plain_values(container: list[object] | tuple[object, ...] | dict[object, object]) -> bool:
    """Whether what is checked of a container is numbers, such as the sizes of a kernel. All modules are asked on every recorded step."""
    values = container.values() if type(container) is dict else container
    return _PLAIN.issuperset(map(type, islice(values, _MAX_ITEMS)))


def _items(container: object, depth: int = 2) -> Iterator[object]:
    """What is in a list, a tuple or a dictionary, and in those within it; these themselves, too."""
    parts = cast("Iterable[object]", container.values() if isinstance(container, dict) else container)
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
