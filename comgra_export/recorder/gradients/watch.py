"""Gradients of registered tensors: seen while they flow, and never altered."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from comgra_export.recorder.gradients.inline_statistics import GradientLooks
from comgra_export.recorder.gradients.sums import GradientSum, Listening
from comgra_export.recorder.host.autograd import Edge, GraphPlace, edge_of
from comgra_export.recorder.host.hooks import TensorHooks
from comgra_export.recorder.host.memory import bytes_of
from comgra_export.recorder.host.torch_internals import sequence_number_of, without_function_overrides
from comgra_export.recorder.numbers.collector import TensorNumbers
from comgra_export.recorder.tracing.twins import GradientTwins

__all__ = ["GradientWatch"]

# What belongs to a module, and is saved and trained with it. Old versions of torch have no class for buffers.
_STATE_OF_MODULES = (nn.Parameter, getattr(nn, "Buffer", nn.Parameter))


class _Capture(GradientSum):
    """Sums the gradients of a result, and knows where in autograd's graph it is."""

    # The parts of a place are kept one by one: a tuple would be one more object for the garbage collector to look at.
    __slots__ = ("_kind", "_looks", "_node_number", "_output", "_tensor_number")

    def __init__(self, number: int, tensor: Tensor, listening: Listening, looks: GradientLooks) -> None:
        super().__init__(listening)
        node = tensor.grad_fn
        assert node is not None
        self._kind, self._node_number, self._output = type(node), sequence_number_of(node), tensor.output_nr
        self._tensor_number = number
        self._looks = looks

    @property
    def place(self) -> GraphPlace:
        """Where in autograd's graph the tensor is."""
        return GraphPlace(self._kind, self._node_number, self._output)

    def _look(self, gradient: Tensor) -> TensorNumbers | None:
        return self._looks.look(self._tensor_number, gradient)


class _LastPart(GradientSum):
    """Sums the last gradient of a tensor through a call, which one operation returns."""

    __slots__ = ("_histogram_values", "_looks", "_tensor_number")

    def __init__(self, number: int, histogram_values: int, listening: Listening, looks: GradientLooks) -> None:
        super().__init__(listening)
        self._tensor_number = number
        self._histogram_values = histogram_values
        self._looks = looks

    def _look(self, gradient: Tensor) -> TensorNumbers | None:
        return self._looks.look_at_part(self._tensor_number, self._histogram_values, gradient)


class GradientWatch:
    """Watches the gradients of one step's tensors. It changes nothing about them.

    Args:
        twins: How the gradient of a tensor that requires none is had; None where such gradients are not known.
        why_no_twins: Why there are none then.
        left_alone: Identities of tensors that never get a twin: the buffers of tracked modules.
        looks: What looks at large gradients while they flow.

    Attributes:
        held_bytes: The most memory that the gradients of results and twins, and what twins are computed with, took where `note_held` was
            called. Gradients of the user's own leaves are theirs.
    """

    def __init__(self, twins: GradientTwins | None, why_no_twins: str, left_alone: Collection[int], looks: GradientLooks) -> None:
        self.held_bytes = 0
        self._twins = twins
        self._why_no_twins = why_no_twins
        self._left_alone = left_alone
        self._looks = looks
        self._captures: dict[int, _Capture] = {}
        self._leaves: dict[int, Tensor] = {}
        self._twin_leaves: dict[int, Tensor] = {}
        self._reasons: dict[int, str] = {}
        self._hooks = TensorHooks()
        self._listening = Listening()

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Within it, gradients that come are not those of the training, and are not taken."""
        self._listening.is_suspended = True
        self._listening.passed.clear()
        try:
            yield
        finally:
            self._listening.is_suspended = False

    def has_passed(self, number: int) -> bool:
        """Whether a gradient has come to a watched result since `suspended` began."""
        return id(self._captures.get(number)) in self._listening.passed

    def place(self, number: int) -> Tensor | GraphPlace | None:
        """Where gradients come to a watched tensor: the leaf, or the place in autograd's graph; None where none come."""
        if number in self._captures:
            return self._captures[number].place
        leaf = self._leaves.get(number)
        return leaf if leaf is not None and leaf.is_leaf and leaf.requires_grad else self._twin_leaves.get(number)

    def twin_of(self, tensor: Tensor) -> Tensor | None:
        """What stands for a tensor that requires no gradient; None where nothing does."""
        return None if self._twins is None else self._twins.twin(tensor)

    def watch(self, number: int, tensor: Tensor, is_used: bool = False) -> None:
        """Begins to watch a tensor, under a number of the caller's choice.

        Args:
            number: The number.
            tensor: The tensor.
            is_used: Whether something was computed from it before. Of this, the gradient of a tensor that requires none is not known.
        """
        if tensor.is_leaf:
            self._leaves[number] = tensor
        elif tensor.requires_grad:
            self._watch_result(number, tensor)
        if not self._may_have_twin(tensor):
            return
        if self._twins is None:
            self._reasons[number] = f"it requires no gradient, and {self._why_no_twins}"
            return
        if (reason := self._twins.why_full()) is not None:
            self._reasons[number] = reason
            return
        twin = self._twins.make(number, tensor)
        if twin.is_leaf:
            self._twin_leaves[number] = twin
            if is_used:
                self._reasons[number] = "it requires no gradient, and was used before it was registered"
        else:
            self._watch_result(number, twin)

    def watch_again(self, number: int, tensor: Tensor) -> None:
        """Watches a tensor that is watched already, with the same values: it may have become a result since.

        What is computed in a reentrant checkpoint requires no gradient. What it returns does, as soon as it is left.
        """
        if self._leaves.get(number) is tensor and not tensor.is_leaf and tensor.requires_grad:
            del self._leaves[number]
            self._watch_result(number, tensor)

    def edges(self, number: int, tensor: Tensor) -> list[Edge]:
        """The edges by which gradients come to a watched tensor, through what is computed from it from now on; none where it has none."""
        twin = None if self._twins is None else self._twins.twin(tensor)
        # What has a twin may require a gradient later; it is a leaf, and kept.
        followed = [tensor] if tensor.requires_grad or (twin is not None and number in self._leaves) else []
        return [edge_of(one) for one in (followed if twin is None else [*followed, twin])]

    def sum_partially(self) -> GradientSum:
        """A sum of gradients for the caller to feed, which counts as held."""
        return GradientSum(self._listening)

    def look_partially(self, number: int, histogram_values: int) -> GradientSum:
        """The same for one gradient that is part of the last gradient of a watched tensor: a large one need not be held.

        Args:
            number: The number of the tensor.
            histogram_values: Of how many of its values, at most, there is a histogram; 0: there is none.
        """
        return _LastPart(number, histogram_values, self._listening, self._looks)

    def looked_at(self, number: int) -> TensorNumbers | None:
        """What was found of a gradient that came since `clear`, and was not held; None where it was, or none came."""
        capture = self._captures.get(number)
        if capture is None or (self._twins is not None and self._twins.why_ended(number) is not None):
            return None
        return capture.looked_at

    def gradient(self, number: int) -> Tensor | None:
        """The gradient that a watched tensor has now, summed over all backward passes since `clear`; None where none is held.

        Raises:
            Exception: What went wrong while it was summed.
        """
        if self._twins is not None and self._twins.why_ended(number) is not None:
            return None
        if number in self._captures:
            return self._captures[number].total()
        leaf, twin = self._leaves.get(number), self._twin_leaves.get(number)
        # An in-place operation may have made a result of it since; then its `grad` is not this value's.
        own = leaf.grad if leaf is not None and leaf.is_leaf and leaf.requires_grad else None
        asked_for = None if twin is None else twin.grad
        if own is None or asked_for is None:
            return asked_for if own is None else own
        with torch.no_grad():
            return own + asked_for

    def lasts(self, number: int) -> bool:
        """Whether what `gradient` returns stays as it is: nothing of the user's shares its memory."""
        capture = self._captures.get(number)
        return capture is not None and capture.is_copy

    def parameter(self, number: int) -> nn.Parameter | None:
        """The watched tensor, if it is a parameter."""
        leaf = self._leaves.get(number)
        return leaf if isinstance(leaf, nn.Parameter) else None

    def why_absent(self, number: int) -> str | None:
        """Why a tensor's gradient is not known although it may have one; None where it has none, and nothing is amiss."""
        ended = None if self._twins is None else self._twins.why_ended(number)
        if ended is not None or number not in self._reasons:
            return ended
        return self._reasons[number] if self.looked_at(number) is None and self.gradient(number) is None else None

    def clear(self, number: int) -> None:
        """Forgets the gradient of a watched tensor, unless it is a parameter, whose gradient the optimizer needs."""
        leaf = self._leaves.get(number)
        if leaf is not None and leaf.is_leaf and leaf.requires_grad and not isinstance(leaf, nn.Parameter):
            leaf.grad = None
        if number in self._twin_leaves:
            self._twin_leaves[number].grad = None
        if number in self._captures:
            self._captures[number].clear()

    def have_come(self) -> bool:
        """Whether any gradient has come to a result or a twin."""
        captured = any(capture.held is not None or capture.looked_at is not None for capture in self._captures.values())
        return captured or any(twin.grad is not None for twin in self._twin_leaves.values())

    def note_held(self) -> None:
        """Takes note of how much memory is held, which grows until `clear` or `release`."""
        with without_function_overrides():
            of_twins = sum(bytes_of(twin.grad) for twin in self._twin_leaves.values() if twin.grad is not None)
            of_functions = 0 if self._twins is None else self._twins.bytes
            self.held_bytes = max(self.held_bytes, self._listening.peak + of_twins + of_functions)

    def release(self) -> None:
        """Removes every hook, and lets go of all tensors."""
        self._hooks.remove()
        self.note_held()
        self._captures.clear()
        self._looks.release()
        self._leaves.clear()
        self._twin_leaves.clear()
        if self._twins is not None:
            self._twins.release()

    def _watch_result(self, number: int, tensor: Tensor) -> None:
        self._captures[number] = capture = _Capture(number, tensor, self._listening, self._looks)
        self._hooks.add(tensor, capture)

    def _may_have_twin(self, tensor: Tensor) -> bool:
        """Not parameters, frozen ones included, nor buffers, nor what is not floating-point, nor anything while gradients are off."""
        return (
            not tensor.requires_grad
            and (tensor.is_floating_point() or tensor.is_complex())
            and torch.is_grad_enabled()
            and not tensor.is_inference()
            and not isinstance(tensor, _STATE_OF_MODULES)
            and id(tensor) not in self._left_alone
            # Computing twice with a `DTensor` would communicate twice.
            and not hasattr(type(tensor), "placements")
        )
