"""The calls of watched modules in one iteration, as they are in a recording."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["CallEntry", "CallTree", "PortEntry", "PortMeaning", "PortSide"]

PortSide = Literal["input", "output"]

PortMeaning = Literal["attention", "attention_after_dropout"]
"""What the tensor at a port is known to be: the pattern of an attention."""


class CallEntry(NamedTuple):
    """A call of a watched module.

    Attributes:
        module: Its position in `Network.modules`.
        parent: The position of the call within which it was made; -1 if that is none of a watched module.
        number: How many calls of this module came before it in the iteration.
        training: Whether the module was in training mode.
        raised: Whether the call ended with an exception.
    """

    module: int
    parent: int
    number: int
    training: bool
    raised: bool


class PortEntry(NamedTuple):
    """What went into a call or came out of it at one place: a tensor, or something of which only a text is kept.

    Attributes:
        call: The position of the call.
        side: Whether it went in or came out.
        path: Where among the arguments or results: `x`, `mask`, `output`, `output[0]`, `output.logits`.
        record_name: With `record_iteration`, where the numbers of the tensor are in the layout; None if it has none.
        record_iteration: Its iteration, or None.
        text: What it was, if there are no numbers; else None.
        meaning: What the tensor is known to be, or None.
        gradient_record_name: With `gradient_record_iteration`, where the gradient of an input through this call alone is in the layout;
            None if there is none but that of the tensor, which is the total of all that is computed from it.
        gradient_record_iteration: Its iteration, or None.
    """

    call: int
    side: PortSide
    path: str
    record_name: str | None
    record_iteration: int | None
    text: str | None
    meaning: PortMeaning | None = None
    gradient_record_name: str | None = None
    gradient_record_iteration: int | None = None


class CallTree(NamedTuple):
    """`calls/HASH.json`: the calls of watched modules in one iteration, in the order in which they began, and their ports."""

    calls: tuple[CallEntry, ...]
    ports: tuple[PortEntry, ...]
