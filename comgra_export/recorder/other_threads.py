"""Whether parts of a step ran in other threads than its own, where neither calls nor functions are watched."""

from __future__ import annotations

from torch.autograd.graph import Node

from comgra_export.recorder.dependencies import is_leaf_node

__all__ = ["OtherThreads", "is_numbered_apart"]

# Of a view whose memory was changed, PyTorch makes the operation anew when something takes it.
_MADE_LATE = ("AsStridedBackward0", "ViewAsRealBackward0")

_MAX_NAMES = 5


class OtherThreads:
    """What is known of other threads in one step. It may be used from any of them.

    Attributes:
        have_computed: Whether operations of autograd were made in them. Every thread numbers its own, so that the number of an operation
            does not identify it any more.
    """

    def __init__(self) -> None:
        self.have_computed = False
        self._called: dict[str, None] = {}
        self._told: set[str] = set()

    def note_call(self, module: str, is_grad_enabled: bool) -> None:
        """Takes note of a call of a watched module.

        Args:
            module: The name of the module.
            is_grad_enabled: Whether gradients are turned on in that thread.
        """
        self._called[module] = None
        self.have_computed = self.have_computed or is_grad_enabled

    def take_called(self) -> str:
        """The names of the modules that were called, in words and without those that were told before; empty where there are none."""
        names = [name for name in list(self._called) if name not in self._told]
        self._told.update(names)
        more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
        return ", ".join(names[:_MAX_NAMES]) + more


def is_numbered_apart(node: Node, before: Node) -> bool:
    """Whether an operation shows that another thread than its own has made what it takes.

    Within a thread, an operation has a greater number than those that made what it takes. That of another thread may have one too.

    Args:
        node: The operation.
        before: One that made what it takes.
    """
    return before._sequence_nr() >= node._sequence_nr() and not is_leaf_node(before) and type(before).__name__ not in _MADE_LATE
