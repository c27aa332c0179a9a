"""Objects of classes that other tools define, as plain data: their attributes, and nothing that their class would do."""

from __future__ import annotations

from comgra_export.importers.pickles.numpy_values import Maker, PickledGlobal, RefusedError

__all__ = ["ORDERED_DICT", "PickledObject", "PickledOrderedDict", "plain_object"]


class PickledObject(dict[object, object]):
    """The attributes of an object. Its class is never looked up."""

    def set_state(self, state: object) -> None:
        """Takes the attributes."""
        if not isinstance(state, dict) or not all(isinstance(key, str) for key in state):
            raise RefusedError("it has an object whose state is not its attributes")
        self.update(state)


class PickledOrderedDict(dict[object, object]):
    """A `collections.OrderedDict`."""

    def set_state(self, state: object) -> None:
        """Ignores attributes of the dict itself, such as those that PyTorch puts there."""


def plain_object(_: tuple[object, ...]) -> object:
    """An object without attributes, which get their values later."""
    return PickledObject()


ORDERED_DICT: dict[PickledGlobal, tuple[tuple[int, ...], Maker]] = {
    PickledGlobal("collections", "OrderedDict"): ((0,), lambda _: PickledOrderedDict()),
}
"""The name of ordered dicts, for readers that allow them."""
