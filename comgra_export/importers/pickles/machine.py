"""The stack machine that a pickle is a program for: what each instruction does to the stack and the memo."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from comgra_export.importers.pickles.numpy_values import GLOBALS, Maker, PickledArray, PickledDtype, PickledGlobal, RefusedError
from comgra_export.importers.pickles.plain_objects import PickledObject, PickledOrderedDict
from comgra_export.importers.pickles.stream import LONGEST_NAME, PickleStream

__all__ = ["Names", "PickleMachine"]

Names = Mapping[PickledGlobal, tuple[tuple[int, ...], Maker | None]]
"""Names that a pickle may use: the numbers of arguments allowed in a call, and what makes the value. None: the name is never called."""

_MAX_KEY_PARTS = 8


class PickleMachine:
    """The state of a pickle that is being read. An instruction that is not allowed or not possible raises `RefusedError`.

    Args:
        data: The pickle.
        names: Names that it may use besides those of numpy.
        outside: Makes the value of a reference to what lies outside the pickle. By default, there must be none.

    Attributes:
        stream: The file's content, read up to the current instruction.
    """

    def __init__(self, data: bytes, names: Names | None = None, outside: Callable[[object], object] | None = None) -> None:
        self.stream = PickleStream(data)
        self._names = {**GLOBALS, **(names or {})}
        self._outside = outside
        self._stack: list[object] = []
        self._marks: list[int] = []
        self._memo: dict[int, object] = {}
        self._bytes_made = 0

    def end(self) -> object:
        """Takes the only value that is left: what the pickle holds."""
        value = self.pop()
        if self._stack:
            raise RefusedError("it ends with values left over, so it is damaged")
        return value

    # The stack. Values below the last mark cannot be reached.

    def push(self, value: object) -> None:
        """Puts a value on top."""
        self._stack.append(value)

    def pop(self) -> object:
        """Takes the topmost value, which must lie above the last mark."""
        if len(self._stack) <= (self._marks[-1] if self._marks else 0):
            raise RefusedError("it takes more values than it has put on the stack, so it is damaged")
        return self._stack.pop()

    def top(self) -> object:
        """The topmost value, which stays on the stack."""
        value = self.pop()
        self._stack.append(value)
        return value

    def since_mark(self) -> list[object]:
        """Takes the last mark and the values above it."""
        if not self._marks:
            raise RefusedError("it needs a mark that it has not set, so it is damaged")
        start = self._marks.pop()
        values = self._stack[start:]
        del self._stack[start:]
        return values

    # Instructions, named as in pickletools.

    def mark(self) -> None:
        """Sets a mark on top of the stack."""
        self._marks.append(len(self._stack))

    def pop_or_mark(self) -> None:
        """Drops the topmost value, or a mark if it is on top, as in protocol 0."""
        if self._marks and self._marks[-1] == len(self._stack):
            self._marks.pop()
        else:
            self.pop()

    def pop_mark(self) -> None:
        """Drops the last mark and the values above it."""
        self.since_mark()

    def duplicate(self) -> None:
        """Pushes the topmost value again."""
        self.push(self.top())

    def tuple_since_mark(self) -> None:
        """Makes a tuple of the values above the last mark."""
        self.push(tuple(self.since_mark()))

    def tuple_of(self, count: int) -> None:
        """Makes a tuple of the `count` topmost values."""
        values = [self.pop() for _ in range(count)]
        self.push(tuple(reversed(values)))

    def list_since_mark(self) -> None:
        """Makes a list of the values above the last mark."""
        self.push(self.since_mark())

    def dict_since_mark(self) -> None:
        """Makes a dict of the keys and values above the last mark."""
        made: dict[object, object] = {}
        _set_items(made, self.since_mark())
        self.push(made)

    def append(self) -> None:
        """Appends the topmost value to the list below it."""
        value = self.pop()
        self._append_to_top([value])

    def appends(self) -> None:
        """Appends the values above the last mark to the list below it."""
        self._append_to_top(self.since_mark())

    def _append_to_top(self, values: list[object]) -> None:
        target = self.top()
        if not isinstance(target, list):
            raise RefusedError("it appends to a value that is not a list")
        target.extend(values)

    def set_item(self) -> None:
        """Sets a key of a dict. On the stack, the value is above the key, and the key above the dict."""
        value, key = self.pop(), self.pop()
        _set_items(self.top(), [key, value])

    def set_items(self) -> None:
        """Sets the keys and values above the last mark in the dict below it."""
        items = self.since_mark()
        _set_items(self.top(), items)

    def put(self, index: int) -> None:
        """Stores the topmost value in the memo."""
        self._memo[index] = self.top()

    def get(self, index: int) -> None:
        """Pushes a value of the memo."""
        if index not in self._memo:
            raise RefusedError("it refers to a value that it has not stored, so it is damaged")
        self.push(self._memo[index])

    def memoize(self) -> None:
        """Stores the topmost value in the memo, under the next index."""
        self.put(len(self._memo))

    def text_global(self) -> None:
        """Pushes a name, which stands in two lines."""
        module, name = self.stream.line(LONGEST_NAME), self.stream.line(LONGEST_NAME)
        self.push(self._allowed(module.decode("utf-8", "replace"), name.decode("utf-8", "replace")))

    def stack_global(self) -> None:
        """Pushes a name, whose module and own name are the topmost values."""
        name, module = self.pop(), self.pop()
        if not isinstance(name, str) or not isinstance(module, str):
            raise RefusedError("it has a name that is no text")
        self.push(self._allowed(module, name))

    def reduce(self) -> None:
        """Makes the value that a name stands for, from a tuple of arguments."""
        arguments, function = self.pop(), self.pop()
        if not isinstance(function, PickledGlobal) or not isinstance(arguments, tuple):
            raise RefusedError("it calls a value that is no name")
        counts, make = self._names[function]
        if make is None or len(arguments) not in counts:
            raise RefusedError(f"it calls {function} in a way that {function.module.split('.')[0]} does not")
        made = make(arguments)
        self._count(made)
        self.push(made)

    def build(self) -> None:
        """Gives an array or a dtype its state."""
        state, target = self.pop(), self.top()
        if not isinstance(target, (PickledArray, PickledDtype, PickledObject, PickledOrderedDict)):
            raise RefusedError("it sets the state of a value that is no array")
        target.set_state(state)
        self._count(target)

    def refer_outside(self) -> None:
        """Replaces what the topmost value refers to outside the pickle."""
        if self._outside is None:
            raise RefusedError("it refers to what lies outside it")
        self.push(self._outside(self.pop()))

    def _allowed(self, module: str, name: str) -> PickledGlobal:
        pickled = PickledGlobal(module, name)
        if pickled not in self._names:
            hint = "; save tensors as tensor.detach().cpu().numpy()" if module.split(".")[0] == "torch" and self._outside is None else ""
            shown = ascii(f"{module}.{name}")[1:-1][:LONGEST_NAME]
            raise RefusedError(f"it names {shown}, and only numpy arrays, numbers, texts and containers of them are read{hint}")
        return pickled

    def _count(self, made: object) -> None:
        """Bounds the bytes made: each byte of the file may become a byte once, and a part of a number once."""
        if isinstance(made, (bytes, memoryview)):
            self._bytes_made += len(made)
        elif isinstance(made, PickledArray) and made.array is not None:
            self._bytes_made += made.array.nbytes
        if self._bytes_made > 2 * len(self.stream):
            raise RefusedError("it makes more numbers than it has bytes")


def _set_items(target: object, items: list[object]) -> None:
    if not isinstance(target, dict) or len(items) % 2:
        raise RefusedError("it sets a key of a value that is no dict")
    for key, value in zip(items[::2], items[1::2], strict=True):
        # Hashing nested containers could take as long as the pickle wants.
        parts = key if isinstance(key, tuple) else (key,)
        if len(parts) > _MAX_KEY_PARTS or not all(part is None or isinstance(part, (str, int, float)) for part in parts):
            raise RefusedError("a key is neither a text, a number, nor a short tuple of them")
        target[key] = value
