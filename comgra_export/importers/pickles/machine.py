"""The stack machine whose program a pickle is: what each instruction does with the values that are there."""

from __future__ import annotations

from comgra_export.importers.pickles.numpy_values import GLOBALS, PickledArray, PickledDtype, PickledGlobal, RefusedError
from comgra_export.importers.pickles.stream import LONGEST_NAME, PickleBytes

__all__ = ["PickleMachine"]

_MAX_KEY_PARTS = 8


class PickleMachine:
    """The state of a pickle that is being read. What is not done raises `RefusedError`.

    Args:
        data: The file's content.

    Attributes:
        data: What is not read of it yet.
    """

    def __init__(self, data: bytes) -> None:
        self.data = PickleBytes(data)
        self._stack: list[object] = []
        self._marks: list[int] = []
        self._memo: dict[int, object] = {}
        self._made = 0

    def end(self) -> object:
        """The one value that is left."""
        value = self.pop()
        if self._stack:
            raise RefusedError("it ends with things left over, so it is damaged")
        return value

    # The stack, which begins anew at every mark.

    def push(self, value: object) -> None:
        """Puts a value on top."""
        self._stack.append(value)

    def pop(self) -> object:
        """Takes the topmost value away, which must have come after the last mark."""
        if len(self._stack) <= (self._marks[-1] if self._marks else 0):
            raise RefusedError("it takes more than it has put there, so it is damaged")
        return self._stack.pop()

    def top(self) -> object:
        """The topmost value, which stays."""
        value = self.pop()
        self._stack.append(value)
        return value

    def since_mark(self) -> list[object]:
        """Takes the last mark away, and what has come after it."""
        if not self._marks:
            raise RefusedError("it looks for a mark that there is not, so it is damaged")
        start = self._marks.pop()
        values = self._stack[start:]
        del self._stack[start:]
        return values

    # Instructions, by the names that Python has for them.

    def mark(self) -> None:
        """Begins the stack anew."""
        self._marks.append(len(self._stack))

    def pop_or_mark(self) -> None:
        """Drops the topmost value, or the mark that is there instead of one, as in protocol 0."""
        if self._marks and self._marks[-1] == len(self._stack):
            self._marks.pop()
        else:
            self.pop()

    def pop_mark(self) -> None:
        """Drops all since the last mark."""
        self.since_mark()

    def duplicate(self) -> None:
        """Puts the topmost value there again."""
        self.push(self.top())

    def tuple_since_mark(self) -> None:
        """Makes a tuple of all since the last mark."""
        self.push(tuple(self.since_mark()))

    def tuple_of(self, count: int) -> None:
        """Makes a tuple of the topmost values."""
        values = [self.pop() for _ in range(count)]
        self.push(tuple(reversed(values)))

    def list_since_mark(self) -> None:
        """Makes a list of all since the last mark."""
        self.push(self.since_mark())

    def dict_since_mark(self) -> None:
        """Makes a dict of the keys and values since the last mark."""
        made: dict[object, object] = {}
        _set_items(made, self.since_mark())
        self.push(made)

    def append(self) -> None:
        """Appends the topmost value to the list below it."""
        value = self.pop()
        self._append_to_top([value])

    def appends(self) -> None:
        """Appends all since the last mark to the list below it."""
        self._append_to_top(self.since_mark())

    def _append_to_top(self, values: list[object]) -> None:
        target = self.top()
        if not isinstance(target, list):
            raise RefusedError("it appends to something that is no list")
        target.extend(values)

    def set_item(self) -> None:
        """Sets the topmost value for the key below it in the dict below that."""
        value, key = self.pop(), self.pop()
        _set_items(self.top(), [key, value])

    def set_items(self) -> None:
        """Sets keys and values since the last mark in the dict below it."""
        items = self.since_mark()
        _set_items(self.top(), items)

    def put(self, number: int) -> None:
        """Remembers the topmost value under a number."""
        self._memo[number] = self.top()

    def get(self, number: int) -> None:
        """Puts there what was remembered under a number."""
        if number not in self._memo:
            raise RefusedError("it refers to something that there is not, so it is damaged")
        self.push(self._memo[number])

    def memoize(self) -> None:
        """Remembers the topmost value under the next number."""
        self.put(len(self._memo))

    def text_global(self) -> None:
        """Puts a name there that stands in two lines."""
        module, name = self.data.line(LONGEST_NAME), self.data.line(LONGEST_NAME)
        self.push(_allowed(module.decode("utf-8", "replace"), name.decode("utf-8", "replace")))

    def stack_global(self) -> None:
        """Puts a name there whose parts are the topmost values."""
        name, module = self.pop(), self.pop()
        if not isinstance(name, str) or not isinstance(module, str):
            raise RefusedError("a name is no text")
        self.push(_allowed(module, name))

    def reduce(self) -> None:
        """Makes what a name stands for, of a tuple of arguments."""
        arguments, function = self.pop(), self.pop()
        if not isinstance(function, PickledGlobal) or not isinstance(arguments, tuple):
            raise RefusedError("it calls something that is no name")
        counts, make = GLOBALS[function]
        if make is None or len(arguments) not in counts:
            raise RefusedError(f"it calls {function} in a way that numpy does not")
        made = make(arguments)
        self._count(made)
        self.push(made)

    def build(self) -> None:
        """Gives an array or a dtype its state."""
        state, target = self.pop(), self.top()
        if not isinstance(target, (PickledArray, PickledDtype)):
            raise RefusedError("it changes the inside of something that is no array")
        target.set_state(state)
        self._count(target)

    def _count(self, made: object) -> None:
        """Counts what was made of what the file holds: each of its bytes becomes a byte once, and a part of a number once."""
        if isinstance(made, (bytes, memoryview)):
            self._made += len(made)
        elif isinstance(made, PickledArray) and made.array is not None:
            self._made += made.array.nbytes
        if self._made > 2 * len(self.data):
            raise RefusedError("it makes more numbers than it has bytes")


def _allowed(module: str, name: str) -> PickledGlobal:
    found = PickledGlobal(module, name)
    if found not in GLOBALS:
        hint = "; save tensors as tensor.detach().cpu().numpy()" if module.split(".")[0] == "torch" else ""
        shown = ascii(f"{module}.{name}")[1:-1][:LONGEST_NAME]
        raise RefusedError(f"it names {shown}, and only numpy arrays, numbers, texts and containers of them are read{hint}")
    return found


def _set_items(target: object, items: list[object]) -> None:
    if not isinstance(target, dict) or len(items) % 2:
        raise RefusedError("it sets a key of something that is no dict")
    for key, value in zip(items[::2], items[1::2], strict=True):
        # Of containers within containers, a hash would take as long as the pickle likes.
        parts = key if isinstance(key, tuple) else (key,)
        if len(parts) > _MAX_KEY_PARTS or not all(part is None or isinstance(part, (str, int, float)) for part in parts):
            raise RefusedError("a key is neither a text, a number, nor a short tuple of them")
        target[key] = value
