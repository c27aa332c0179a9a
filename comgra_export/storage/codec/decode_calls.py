"""Reading the calls of watched modules: tables kept as columns, checked column by column."""

from __future__ import annotations

from collections import Counter
from typing import cast, get_args

from comgra_export.storage.codec.checked import JsonObject
from comgra_export.storage.model.calls import CallEntry, CallTree, PortEntry, PortMeaning, PortSide
from comgra_export.storage.text.json_codec import damaged

__all__ = ["decode_calls"]

_SIDES = frozenset(get_args(PortSide))
_MEANINGS = frozenset(get_args(PortMeaning))


def decode_calls(content: object, file: str, modules: int) -> CallTree:
    """Reads `calls/HASH.json`. `modules` is how many modules `network.json` has.

    Raises:
        DamagedRecordingError: Columns differ in length, a value is not allowed, a call or port names one that is not there, a call comes
            before the one that it is made in, the calls of a module are not counted from 0 on, or a gradient through a
            call belongs to something other than a tensor that goes in.
    """
    tree = JsonObject(content, file)
    calls = _calls(tree.member("calls"), file, modules)
    return CallTree(calls, _ports(tree.member("ports"), file, len(calls)))


def _calls(columns: JsonObject, file: str, modules: int) -> tuple[CallEntry, ...]:
    positions = columns.integers("module", 0, modules - 1)
    parents = columns.integers("parent", -1)
    numbers = columns.integers("number", 0)
    table = (positions, parents, numbers, columns.booleans("training"), columns.booleans("raised"))
    if any(len(column) != len(positions) for column in table):
        raise damaged(file, "the columns of its calls differ in length")
    before: Counter[int] = Counter()
    for position, (module, parent, number) in enumerate(zip(positions, parents, numbers, strict=True)):
        if parent >= position:
            raise damaged(file, f"the call in row {position} comes before the one that it is made in")
        if number != before[module]:
            raise damaged(file, f"the call in row {position} does not continue the numbers of the calls of its module")
        before[module] += 1
    return tuple(CallEntry(*row) for row in zip(*table, strict=True))


def _ports(columns: JsonObject, file: str, calls: int) -> tuple[PortEntry, ...]:
    of_calls = columns.integers("call", 0, calls - 1)
    names = columns.optional_texts("record_name")
    iterations = columns.optional_integers("record_iteration", -1)
    texts = columns.optional_texts("text")
    sides = cast("list[PortSide]", columns.choices("side", _SIDES))
    meanings = _meanings(columns, len(of_calls))
    gradients = _gradients(columns, len(of_calls))
    table = (of_calls, sides, columns.texts("path"), names, iterations, texts, meanings, *gradients)
    if any(len(column) != len(of_calls) for column in table):
        raise damaged(file, "the columns of its ports differ in length")
    for position, (name, iteration, text) in enumerate(zip(names, iterations, texts, strict=True)):
        if (name is None) != (iteration is None) or (name is None) == (text is None):
            raise damaged(file, f"the port in row {position} has neither a record nor a text, or parts of both")
    for position, (side, name, gradient, iteration) in enumerate(zip(sides, names, *gradients, strict=True)):
        if (gradient is None) != (iteration is None) or (gradient is not None and (side != "input" or name is None)):
            raise damaged(file, f"the port in row {position} has parts of a gradient, or a gradient although no tensor goes in there")
    return tuple(PortEntry(*row) for row in zip(*table, strict=True))


def _meanings(columns: JsonObject, ports: int) -> list[PortMeaning | None]:
    """What tensors are known to be. A meaning that this reader does not know becomes None."""
    if not columns.has("meaning"):
        return [None] * ports
    return [cast("PortMeaning", meaning) if meaning in _MEANINGS else None for meaning in columns.optional_texts("meaning")]


def _gradients(columns: JsonObject, ports: int) -> tuple[list[str | None], list[int | None]]:
    """Where the gradients through calls are recorded; by default there are none."""
    key, other = "gradient_record_name", "gradient_record_iteration"
    if not columns.has(key) and not columns.has(other):
        return [None] * ports, [None] * ports
    return columns.optional_texts(key), columns.optional_integers(other, -1)
