"""What happened to the gradients of parameters in a step: what they held before, which backward passes added to them, what changed them."""

from __future__ import annotations

import re
import weakref
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor
from torch.utils.hooks import RemovableHandle

from comgra_export.recorder.gradients.averaging import AveragingOverRanks
from comgra_export.recorder.host.memory import Memory, memory_of
from comgra_export.recorder.host.torch_internals import ZERO_TOGETHER, values_of_sparse, version_of, without_function_overrides

__all__ = ["ZEROING", "GradientDifferences", "GradientHistory", "function_name"]

ZEROING = frozenset({"zero_", ZERO_TOGETHER})
"""Functions that set tensors to zero, as `optimizer.zero_grad(set_to_none=False)` does."""

_IN_PLACE_OPERATOR = re.compile(r"__i([a-z]+)__")
_OPERATORS = {"truediv": "div", "floordiv": "floor_divide"}


class GradientDifferences(NamedTuple):
    """What gradients hold besides what the backward passes of this step added to them.

    Attributes:
        nothing: Positions of the parameters whose gradients are known to hold nothing else, without a computation.
        norms: Positions of others, and the Euclidean norms of what else they hold: one array per device and dtype.
    """

    nothing: tuple[int, ...]
    norms: tuple[tuple[tuple[int, ...], Tensor], ...]


class GradientHistory:
    """Follows the gradients of the parameters through one step. It neither changes tensors nor keeps them alive.

    It computes nothing for parameters without a gradient at the start of the step. The others get a hook, which reads their gradient just
    before a backward pass adds to it. `watched` says whether `after_backward` and `before_overwrite` will be called. `averaging` is None if
    the run is not distributed.

    Attributes:
        error: What went wrong first while the user's code ran, if anything did.
    """

    def __init__(self, parameters: Mapping[int, Tensor], *, watched: bool, averaging: AveragingOverRanks | None = None) -> None:
        self.error: Exception | None = None
        self._watched = watched
        self._averaging = averaging
        self._passes_seen = 0
        self._changed_by: dict[str, None] = {}
        self._memory: dict[Memory, list[int]] | None = None
        self._hooks: list[RemovableHandle] = []
        with without_function_overrides():
            self._gradients = {
                position: _ParameterGradient(parameter, self) for position, parameter in parameters.items() if parameter.requires_grad
            }
            for followed in self._gradients.values():
                if followed.leftover is not None:
                    self._hooks.append(followed.parameter.register_hook(followed.leftover))

    def release(self) -> None:
        """Removes every hook, and lets go of the parameters."""
        for hook in self._hooks:
            hook.remove()
        self._hooks.clear()
        self._gradients.clear()
        self._memory = None

    def after_backward(self) -> None:
        """Notes a backward pass that has ended."""
        try:
            with without_function_overrides():
                self._passes_seen += 1
                self._changed_by.clear()
                self._memory = None
                touched = {position: followed for position, followed in self._gradients.items() if followed.note_backward()}
                if self._averaging is not None:
                    self._averaging.after_backward(
                        {position: (followed.parameter, followed.passes) for position, followed in touched.items()}
                    )
        except Exception as error:
            self.keep(error)

    def before_overwrite(self, function: str, tensors: Sequence[Tensor]) -> None:
        """Notes an operation that is about to write to the memory of these tensors."""
        if not self._passes_seen:
            return
        try:
            with without_function_overrides():
                if self._memory is None:
                    self._memory = self._find_memory()
                for tensor in tensors:
                    memory = memory_of(tensor)
                    if memory is not None and memory in self._memory:
                        self._note_change(function_name(function), tensor, memory)
        except Exception as error:
            self.keep(error)

    def backward_passes(self) -> int | None:
        """How many backward passes the gradients are the sum of: the largest number.

        Setting a gradient to None or to zero restarts its count. None if the passes were not seen, or if the script has put another tensor
        in the place of a gradient, as for sums of clipped gradients of single samples.
        """
        if not self._watched or any(followed.is_replaced() for followed in self._gradients.values()):
            return None
        return max((followed.passes for followed in self._gradients.values()), default=0) or self._passes_seen

    def changed_in_place_by(self) -> tuple[str, ...] | None:
        """What has changed gradients in place since the last backward pass; None if that was not seen."""
        return tuple(self._changed_by) if self._watched else None

    def averaged_over_ranks(self) -> bool | None:
        """Whether the gradients are averaged over the processes; None if that is not known, or the run is not distributed."""
        if self._averaging is None or not self._watched:
            return None
        with without_function_overrides():
            return self._averaging.averaged(
                {position for position, followed in self._gradients.items() if followed.parameter.grad is not None}
            )

    def differences(self) -> GradientDifferences:
        """What the gradients hold now besides what the backward passes of this step added to them.

        That is what a gradient held when the first backward pass of the step reached it, or all of it if none did. NaN and infinity pass
        into the norm. The result leaves a parameter out if it has no gradient, if another gradient has replaced the first, or if PyTorch
        does not count changes of such a gradient (`DTensor`).
        """
        nothing: list[int] = []
        norms: defaultdict[tuple[torch.device, torch.dtype], dict[int, Tensor]] = defaultdict(dict)
        with torch.no_grad(), without_function_overrides():
            for position, followed in self._gradients.items():
                gradient = followed.parameter.grad
                if gradient is None:
                    continue
                if followed.leftover is None or followed.leftover.is_nothing:
                    nothing.append(position)
                elif (norm := followed.leftover.norm_within(gradient)) is not None:
                    norms[norm.device, norm.dtype][position] = norm
            stacked = tuple((tuple(group), torch.stack(list(group.values()))) for group in norms.values())
        return GradientDifferences(tuple(nothing), stacked)

    def keep(self, error: Exception) -> None:
        """Keeps the first error."""
        if self.error is None:
            # Its traceback would keep the step's tensors alive.
            self.error = error.with_traceback(None)

    def _find_memory(self) -> dict[Memory, list[int]]:
        positions: defaultdict[Memory, list[int]] = defaultdict(list)
        for position, followed in self._gradients.items():
            gradient = followed.parameter.grad
            memory = None if gradient is None else memory_of(gradient)
            if memory is not None:
                positions[memory].append(position)
        return dict(positions)

    def _note_change(self, name: str, tensor: Tensor, memory: Memory) -> None:
        assert self._memory is not None
        for position in self._memory[memory]:
            followed = self._gradients[position]
            gradient = followed.parameter.grad
            # Another gradient may have replaced it since, and something else may lie in its memory.
            if gradient is None or (gradient is not tensor and memory_of(gradient) != memory):
                continue
            self._changed_by[name] = None
            if gradient is tensor:
                followed.expect_change()
            if name in ZEROING and gradient.data_ptr() == tensor.data_ptr() and gradient.numel() == tensor.numel():
                followed.restart()


class _ParameterGradient:
    """The gradient of one parameter, and how many backward passes it is the sum of."""

    def __init__(self, parameter: Tensor, history: GradientHistory) -> None:
        self.parameter = parameter
        gradient = parameter.grad
        self.leftover = None if gradient is None else _Leftover(parameter, gradient, history)
        self.passes = 0
        self._last: weakref.ref[Tensor] | None = None
        self._version: int | None = None
        if gradient is not None:
            self._remember(gradient)

    def note_backward(self) -> bool:
        """Whether the backward pass that has just ended added to the gradient."""
        gradient = self.parameter.grad
        if gradient is None:
            self.passes, self._last = 0, None
            return False
        is_same = self._last is not None and self._last() is gradient
        if is_same and type(gradient) is Tensor and version_of(gradient) == self._version:
            return False
        # Sparse gradients, and those that are themselves differentiable, are not added to in place.
        is_added_to = is_same or gradient.layout != torch.strided or gradient.requires_grad
        self.passes = self.passes + 1 if is_added_to else 1
        self._remember(gradient)
        return True

    def is_replaced(self) -> bool:
        """Whether the gradient is another tensor than the one that the last backward pass left."""
        gradient = self.parameter.grad
        return self.passes > 0 and gradient is not None and (self._last is None or self._last() is not gradient)

    def expect_change(self) -> None:
        """Something other than a backward pass is about to change the gradient in place."""
        if self._version is not None:
            self._version += 1

    def restart(self) -> None:
        """The gradient is set to zero."""
        self.passes = 0
        if self.leftover is not None:
            self.leftover.is_nothing = True

    def _remember(self, gradient: Tensor) -> None:
        self._last, self._version = weakref.ref(gradient), version_of(gradient)


class _Leftover:
    """Hook of a parameter that had a gradient when the step began. It finds out what that holds when backward passes reach it.

    Attributes:
        is_nothing: Whether the gradient is known to hold nothing of earlier steps.
    """

    def __init__(self, parameter: Tensor, gradient: Tensor, history: GradientHistory) -> None:
        self.is_nothing = False
        self._parameter = parameter
        self._history = history
        # Weak: a gradient that the user drops must not wait for the end of the step.
        self._start = weakref.ref(gradient)
        self._reached: weakref.ref[Tensor] | None = None
        self._norm: Tensor | None = None

    def __call__(self, _: Tensor) -> None:
        if self.is_nothing or torch.compiler.is_compiling():
            return
        try:
            with torch.no_grad(), without_function_overrides():
                gradient = self._parameter.grad
                if gradient is None:
                    self.is_nothing = True
                elif self._reached is None:
                    self._norm = _norm(gradient)
                    self._reached = weakref.ref(gradient)
        except Exception as error:  # Raised from here, it would end the user's backward pass.
            self._history.keep(error)

    def norm_within(self, gradient: Tensor) -> Tensor | None:
        """The norm of what the gradient that the parameter has now still holds of earlier steps; None if it is not known."""
        if self._reached is not None:
            return self._norm if self._reached() is gradient or gradient.layout != torch.strided else None
        return _norm(gradient) if self._start() is gradient else None


@lru_cache(1024)
def function_name(function: str) -> str:
    """The name of an operation for people: without its module or class, and `mul_` for the operator `*=`."""
    name = function.rsplit(".", 1)[-1]
    operator = _IN_PLACE_OPERATOR.fullmatch(name)
    if operator is not None:
        return f"{_OPERATORS.get(operator[1], operator[1])}_"
    return name.strip("_") if name.startswith("__") else name


def _norm(gradient: Tensor) -> Tensor | None:
    if type(gradient) is not Tensor:
        return None
    if gradient.layout != torch.strided:
        gradient = values_of_sparse(gradient.coalesce()) if gradient.layout == torch.sparse_coo else gradient.to_dense()
    dtype = torch.float32 if gradient.dtype in (torch.float16, torch.bfloat16) else None
    norm: Tensor = torch.linalg.vector_norm(gradient.detach(), dtype=dtype)
    return norm
