"""Modules that a tracked module keeps in a plain list, dictionary or object, so that it does not know them as parts of itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from types import GetSetDescriptorType
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
    """Finds attributes of tracked modules that hold modules or parameters: lists, tuples, dictionaries, and objects that are no modules.

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
    # Modules may share an object, as they do the configuration of a network.
    seen: set[int] = set()
    for module, place in modules.items():
        for attribute, value in vars(module).items():
            held = _held_by(value)
            if not held or attribute in _TABLES or id(value) in seen or _holds_plain_values(held):
                continue
            seen.add(id(value))
            if len(entries) == _MAX_ENTRIES:
                break
            inner = [part for part in islice(_items(held), _MAX_ITEMS) if _is_part(part)]
            if inner and known is None:
                known = known_parameters()
            unknown = {
                id(each): each for part in inner for each in _parameters_of(part) if each.requires_grad and id(each) not in (known or ())
            }
            if unknown:
                still = [each for key, each in unknown.items() if versions.setdefault(key, version_of(each)) == version_of(each)]
                count = sum(each.grad is not None for each in still)
                kind = "dict" if type(value) is dict else "list" if type(value) in _CONTAINERS else "object"
                entries.append(UnregisteredEntry(place.position, attribute, kind, len(inner), len(unknown), count))
    return tuple(entries)


_TABLES = frozenset(vars(nn.Module()))
"""What PyTorch keeps in every module: tables of its parts and hooks."""

_Container = list[object] | tuple[object, ...] | dict[object, object]
_CONTAINERS = frozenset({list, tuple, dict})
_PLAIN = frozenset({int, float, bool, type(None)})
# Classes that are written in Python; what PyTorch itself keeps in such objects is no part of a network.
_HEAP_TYPE = 1 << 9
_LIBRARIES = frozenset({"torch", "comgra_export"})


def _held_by(value: object) -> _Container | None:
    """What may hold modules: a container, or the attributes of an object of the user's own class. None of that class's code runs."""
    kind = type(value)
    if kind in _CONTAINERS:
        return cast("_Container", value)
    is_own = type(kind) is type and kind.__flags__ & _HEAP_TYPE and str(kind.__module__).partition(".")[0] not in _LIBRARIES
    if not is_own or issubclass(kind, nn.Module | Tensor):
        return None
    # What a class of its own keeps under this name is a function of the user.
    descriptor = next((vars(each)["__dict__"] for each in kind.__mro__ if "__dict__" in vars(each)), None)
    attributes = descriptor.__get__(value) if type(descriptor) is GetSetDescriptorType else None
    return cast("_Container", attributes) if type(attributes) is dict else None


def _is_part(value: object) -> bool:
    """Whether it is a module or a parameter. A proxy of one is not asked, since it may run code of the user."""
    kind = type(value)
    return issubclass(kind, nn.Module) or (issubclass(kind, Tensor) and isinstance(value, nn.Parameter))


def _holds_plain_values(container: _Container) -> bool:
    """Whether what is checked of a container is numbers, such as the sizes of a kernel. All modules are asked on every recorded step."""
    values = container.values() if type(container) is dict else container
    return _PLAIN.issuperset(map(type, islice(values, _MAX_ITEMS)))


def _items(container: object, depth: int = 2) -> Iterator[object]:
    """What is in a list, a tuple or a dictionary, and in those and in objects within it; these themselves, too."""
    parts = cast("Iterable[object]", container.values() if isinstance(container, dict) else container)
    for part in list(islice(parts, _MAX_ITEMS)):
        yield part
        held = _held_by(part) if depth else None
        if held:
            yield from _items(held, depth - 1)


def _parameters_of(part: object) -> Iterator[nn.Parameter]:
    if isinstance(part, nn.Parameter):
        yield part
    elif isinstance(part, nn.Module):
        for module in part.modules():
            yield from (each for each in own_parameters(module).values() if each is not None)
