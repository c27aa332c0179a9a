"""Watching the gradients of registered tensors while they flow, without altering them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from comgra_export.recorder.gradients.inline_statistics import InlineStatistics
from comgra_export.recorder.gradients.sums import GradientSum, Listening, TakenGradient
from comgra_export.recorder.host.autograd import Edge, GraphPlace, edge_of
from comgra_export.recorder.host.hooks import TensorHooks
from comgra_export.recorder.host.memory import bytes_of
from comgra_export.recorder.host.torch_internals import sequence_number_of, without_function_overrides
from comgra_export.recorder.numbers.collector import TensorNumbers
from comgra_export.recorder.tracing.twins import GradientTwins

__all__ = ["GradientWatch"]

# What a module saves and trains.
_STATE_OF_MODULES = (nn.Parameter, nn.Buffer)


class _Capture(GradientSum):
    """Sums the gradients of a result, and knows its place in autograd's graph."""

    # A tuple of the three parts of the place would be one more object for the garbage collector to visit.
    __slots__ = ("_inline_statistics", "_kind", "_node_number", "_output", "_tensor_number")

    def __init__(self, number: int, tensor: Tensor, listening: Listening, inline_statistics: InlineStatistics) -> None:
        super().__init__(listening)
        node = tensor.grad_fn
        assert node is not None
        self._kind, self._node_number, self._output = type(node), sequence_number_of(node), tensor.output_nr
        self._tensor_number = number
        self._inline_statistics = inline_statistics

    @property
    def place(self) -> GraphPlace:
        """The place of the tensor in autograd's graph."""
        return GraphPlace(self._kind, self._node_number, self._output)

    def _compute_statistics(self, gradient: Tensor) -> TensorNumbers | None:
        return self._inline_statistics.compute(self._tensor_number, gradient)


class _LastPart(GradientSum):
    """Sums the last gradient of a tensor through a call. A single operation returns it."""

    __slots__ = ("_histogram_values", "_inline_statistics", "_tensor_number")

    def __init__(self, number: int, histogram_values: int, listening: Listening, inline_statistics: InlineStatistics) -> None:
        super().__init__(listening)
        self._tensor_number = number
        self._histogram_values = histogram_values
        self._inline_statistics = inline_statistics

    def _compute_statistics(self, gradient: Tensor) -> TensorNumbers | None:
        return self._inline_statistics.compute_part(self._tensor_number, self._histogram_values, gradient)


class GradientWatch:
    """Watches the gradients of one step's tensors. It changes nothing about them.

    Without `twins`, the gradients of tensors that require none stay unknown. `left_alone` has the identities of tensors that never get a
    twin: the buffers of tracked modules.

    Attributes:
        held_bytes: The most memory that the gradients of results and twins, and what twins are computed with, took at a call of
            `note_held`. Gradients of the user's own leaves do not count.
    """

    def __init__(
        self, twins: GradientTwins | None, why_no_twins: str, left_alone: Collection[int], inline_statistics: InlineStatistics
    ) -> None:
        self.held_bytes = 0
        self._twins = twins
        self._why_no_twins = why_no_twins
        self._left_alone = left_alone
        self._inline_statistics = inline_statistics
        self._captures: dict[int, _Capture] = {}
        self._leaves: dict[int, Tensor] = {}
        self._twin_leaves: dict[int, Tensor] = {}
        self._reasons: dict[int, str] = {}
        self._hooks = TensorHooks()
        self._listening = Listening()
        self._is_released = False

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Gradients that come within it do not belong to the training, and are not taken."""
        self._listening.is_suspended = True
        self._listening.passed.clear()
        try:
            yield
        finally:
            self._listening.is_suspended = False

    def has_passed(self, number: int) -> bool:
        """Whether a gradient has reached a watched result since `suspended` began."""
        return id(self._captures.get(number)) in self._listening.passed

    def place(self, number: int) -> Tensor | GraphPlace | None:
        """Where gradients reach a watched tensor: the leaf, or the place in autograd's graph; None if no gradient does."""
        if number in self._captures:
            return self._captures[number].place
        leaf = self._leaves.get(number)
        return leaf if leaf is not None and leaf.is_leaf and leaf.requires_grad else self._twin_leaves.get(number)

    def twin_of(self, tensor: Tensor) -> Tensor | None:
        """The twin of a tensor that requires no gradient; None if it has none."""
        return None if self._twins is None else self._twins.twin(tensor)

    def watch(self, number: int, tensor: Tensor, is_used: bool = False) -> None:
        """Begins to watch a tensor, under a number of the caller's choice.

        `is_used` says whether something was computed from it before. If it requires no gradient, its gradient through that stays unknown.
        """
        if self._is_released:
            return
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
        """Watches a tensor again that still has the same values, but may have become a result since.

        Tensors that are computed in a reentrant checkpoint require no gradient. Those that it returns do, as soon as it ends.
        """
        if self._leaves.get(number) is tensor and not tensor.is_leaf and tensor.requires_grad:
            del self._leaves[number]
            self._watch_result(number, tensor)

    def edges(self, number: int, tensor: Tensor) -> list[Edge]:
        """The edges through which gradients reach a watched tensor from what is computed from it after this; empty if there are none."""
        twin = None if self._twins is None else self._twins.twin(tensor)
        # A tensor with a twin may require a gradient later. It is a leaf, and kept.
        followed = [tensor] if tensor.requires_grad or (twin is not None and number in self._leaves) else []
        return [edge_of(place) for place in (followed if twin is None else [*followed, twin])]

    def make_sum(self) -> GradientSum:
        """Makes a sum for the caller to feed gradients to. What it holds counts."""
        return GradientSum(self._listening)

    def make_sum_of_last(self, number: int, histogram_values: int) -> GradientSum:
        """The same for a single gradient that is part of the last gradient of a watched tensor. A large one need not be held."""
        return _LastPart(number, histogram_values, self._listening, self._inline_statistics)

    def take(self, number: int) -> TakenGradient | None:
        """The gradient that a watched tensor has now, summed over all backward passes since `clear`; None if it has none.

        Raises:
            Exception: What went wrong while it was summed.
        """
        if self._twins is not None and self._twins.why_ended(number) is not None:
            return None
        if number in self._captures:
            return self._captures[number].take()
        leaf, twin = self._leaves.get(number), self._twin_leaves.get(number)
        # An in-place operation may have made a result of it since; then its `grad` is not this value's.
        own = leaf.grad if leaf is not None and leaf.is_leaf and leaf.requires_grad else None
        of_twin = None if twin is None else twin.grad
        if own is not None and of_twin is not None:
            with torch.no_grad():
                return TakenGradient(own + of_twin)
        gradient = of_twin if own is None else own
        parameter = leaf if isinstance(leaf, nn.Parameter) else None
        return None if gradient is None else TakenGradient(gradient, parameter=parameter)

    def why_absent(self, number: int) -> str | None:
        """Why the gradient that a tensor may have is not known; None if it is known, or the tensor has none."""
        ended = None if self._twins is None else self._twins.why_ended(number)
        if ended is not None or number not in self._reasons:
            return ended
        return None if self._has_gradient(number) else self._reasons[number]

    def _has_gradient(self, number: int) -> bool:
        if number in self._captures:
            return self._captures[number].has_come
        leaf, twin = self._leaves.get(number), self._twin_leaves.get(number)
        is_own = leaf is not None and leaf.is_leaf and leaf.requires_grad and leaf.grad is not None
        return is_own or (twin is not None and twin.grad is not None)

    def clear(self, number: int) -> None:
        """Forgets the gradient of a watched tensor, but not that of a parameter: the optimizer needs it."""
        leaf = self._leaves.get(number)
        if leaf is not None and leaf.is_leaf and leaf.requires_grad and not isinstance(leaf, nn.Parameter):
            leaf.grad = None
        if number in self._twin_leaves:
            self._twin_leaves[number].grad = None
        if number in self._captures:
            self._captures[number].clear()

    def have_come(self) -> bool:
        """Whether any gradient has reached a result or a twin."""
        return any(capture.has_come for capture in self._captures.values()) or any(
            twin.grad is not None for twin in self._twin_leaves.values()
        )

    def note_held(self) -> None:
        """Notes how much memory is held. It grows until `clear` or `release`."""
        with without_function_overrides():
            of_twins = sum(bytes_of(twin.grad) for twin in self._twin_leaves.values() if twin.grad is not None)
            of_functions = 0 if self._twins is None else self._twins.bytes
            self.held_bytes = max(self.held_bytes, self._listening.peak + of_twins + of_functions)

    def release(self) -> None:
        """Removes every hook, and lets go of all tensors. From now on, none is watched."""
        self._is_released = True
        self._hooks.remove()
        self.note_held()
        self._captures.clear()
        self._inline_statistics.release()
        self._leaves.clear()
        self._twin_leaves.clear()
        if self._twins is not None:
            self._twins.release()

    def _watch_result(self, number: int, tensor: Tensor) -> None:
        self._captures[number] = capture = _Capture(number, tensor, self._listening, self._inline_statistics)
        self._hooks.add(tensor, capture)

    def _may_have_twin(self, tensor: Tensor) -> bool:
        """Parameters and buffers have none, nor do tensors without floating-point numbers, nor any tensor while gradients are off."""
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
