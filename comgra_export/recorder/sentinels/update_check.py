"""Whether the gradients that an optimizer is about to use are finite, and the losses, on steps that are not recorded."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from math import inf, isfinite
from typing import Any, Protocol
from weakref import ref

import torch
from torch import Tensor, nn
from torch.optim.optimizer import Optimizer

from comgra_export.recorder.host.isolation import is_being_captured, is_plain
from comgra_export.recorder.host.optimizer_hooks import BEFORE_UPDATE
from comgra_export.recorder.host.torch_internals import (
    count_dispatch_modes,
    count_function_modes,
    current_backward_pass,
    without_function_overrides,
)
from comgra_export.recorder.numbers.kernels import largest_of_plain_pair
from comgra_export.recorder.numbers.parts import FORWARD
from comgra_export.recorder.sentinels.check import SentinelWatch, TensorKey
from comgra_export.recorder.sentinels.inputs import non_finite_inputs
from comgra_export.recorder.sentinels.loss_check import LossCheck
from comgra_export.recorder.sentinels.sums import WIDE, SumsOnDevice, sum_of
from comgra_export.storage.model.lines import SentinelPoint

__all__ = ["UpdateCheck"]

# Small gradients are read in a microsecond.
_FEW_VALUES = 4096
# In so many steps, gradients are read because the sum of two is exactly 0. They may cancel out, or there may be nothing left to learn.
_MOST_LOOKS = 10

GROUP = "gradients"
"""The name of the gradients in what is written: that of the first optimizer of a step."""


class StepInProgress(Protocol):
    """Knows the step in progress."""

    @property
    def unrecorded_step(self) -> float | None:
        """The number of the training step in progress, if it is not recorded; None otherwise."""


class UpdateCheck:
    """Finds the first training step with gradients or a loss that are not finite, although its values are not recorded.

    Before each update it adds up the gradients of two parameters, the first and the last small one. The last one is close to the loss, so
    that any output that is not finite reaches it. What the backward pass makes on its way reaches the first one. The weights of embeddings
    are taken only if there are no others: a sample need not reach them.

    Only if a sum is not finite, it reads the inputs and all gradients and parameters, writes which of them are not finite, and ends: from
    the update on, parameters are not finite either. It never waits for a device. On CUDA, the sums of several steps travel together, so
    that it learns later which step it was, and reads no others.

    On the CPU, the first step in which all gradients are exactly 0 is written as well, and the check goes on: the gradient of a mean over
    nothing is 0, and the mean NaN.

    So is the first step in which the tensor that `backward` was called on is not finite, although the gradients are.

    Steps that the optimizer skips itself, since a `GradScaler` has found infinities, do not count.

    Args:
        steps: What knows the step in progress; None if that is gone.
        parameters: The tracked parameters by name.
        embeddings: The identities of the parameters of embeddings.
        inputs: The inputs of the first call in the step in progress by name; None if they are not known.
        is_watched: Whether an optimizer updates a parameter of a watched module.
        write: Takes what was found.
        report: Takes an exception of our own. Nothing is checked after it.
    """

    def __init__(
        self,
        steps: Callable[[], StepInProgress | None],
        *,
        parameters: Callable[[], Mapping[str, nn.Parameter]],
        embeddings: Callable[[], Container[int]],
        inputs: Callable[[], list[tuple[str, Tensor]] | None],
        is_watched: Callable[[Optimizer], bool],
        write: Callable[[SentinelPoint], None],
        report: Callable[[Exception], None],
    ) -> None:
        self._steps = steps
        self._parameters = parameters
        self._embeddings = embeddings
        self._inputs = inputs
        self._is_watched = is_watched
        self._write = write
        self._report = report
        # The names of parameters and the parameters, whose gradients stand for all.
        self._chosen: dict[ref[Optimizer], list[tuple[str, ref[nn.Parameter]]]] = {}
        # The first and the last of them, if both are small.
        self._pairs: dict[ref[Optimizer], tuple[ref[nn.Parameter], ref[nn.Parameter]]] = {}
        self._sums = SumsOnDevice()
        self._looks_at_zeros = _MOST_LOOKS
        self._losses = LossCheck(self._unrecorded_step, arrived=self._note_loss, report=self._fail)
        BEFORE_UPDATE.add(self._before_update)

    def finish(self) -> None:
        """Reads what is still on a device, and leaves no hook behind."""
        self.remove_hook()
        try:
            self._take(self._sums.wait())
            self._losses.finish()
        except Exception as error:
            self._fail(error)

    def remove_hook(self) -> None:
        """Checks nothing any more."""
        BEFORE_UPDATE.remove(self._before_update)
        self._losses.remove_hook()

    def _unrecorded_step(self) -> float | None:
        steps = self._steps()
        return None if steps is None else steps.unrecorded_step

    def _before_update(self, optimizer: Optimizer, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        # A closure runs the network within the step. The optimizer itself is among the arguments.
        if len(arguments) > 1 or (named and named.get("closure") is not None):
            return
        if torch.compiler.is_dynamo_compiling() or current_backward_pass() != -1:
            return
        steps = self._steps()
        step = None if steps is None else steps.unrecorded_step
        if step is None:
            return
        try:
            # Most steps end here. It is written out, since every call counts in a step of a small network.
            pair = self._pairs.get(ref(optimizer))
            if pair is not None and self._losses.found is None and not count_function_modes():
                first, last = pair[0](), pair[1]()
                if first is not None and last is not None and not count_dispatch_modes():
                    largest = largest_of_plain_pair(first.grad, last.grad)
                    if largest is not None and 0 < largest < inf:
                        return
            with without_function_overrides():
                self._check(step, optimizer)
        except Exception as error:
            self._fail(error)

    def _check(self, step: float, optimizer: Optimizer) -> None:
        if getattr(optimizer, "found_inf", None) is not None or count_dispatch_modes():
            return
        chosen = self._chosen.get(ref(optimizer))
        if chosen is None and not self._is_watched(optimizer):
            return
        loss = self._losses.take(step)
        if loss is not None:
            self._examine(step, loss)
            return
        total = None if chosen is None else _sum_of_plain(chosen)
        if total is not None:
            if total and isfinite(total):
                return
            if total:
                self._examine(step)
            elif self._looks_at_zeros:
                self._looks_at_zeros -= 1
                self._examine(step)
            return
        gradients = self._choose(optimizer) if chosen is None else _gradients_of(chosen) or self._choose(optimizer)
        total = 0.0
        not_finite = None
        for name, gradient in gradients:
            if gradient.is_cpu:
                total += sum_of(gradient).item()
            elif gradient.is_cuda and not is_being_captured():
                not_finite = self._sums.add(step, name, sum_of(gradient)) or not_finite
        if not isfinite(total):
            self._examine(step)
        else:
            self._take(not_finite)

    def _choose(self, optimizer: Optimizer) -> list[tuple[str, Tensor]]:
        """Chooses the gradients that stand for all. Returns the names of their parameters and the gradients; none if none can be read."""
        held = {id(each) for group in optimizer.param_groups for each in group["params"]}
        readable = [(name, each) for name, each in self._parameters().items() if id(each) in held and _is_readable(each.grad)]
        embeddings = self._embeddings()
        others = [pair for pair in readable if id(pair[1]) not in embeddings] or readable
        small = [pair for pair in others if pair[1].numel() <= _FEW_VALUES] or others[:1]
        # The last one first: if both are not finite, it is the nearer one to the loss.
        chosen = [(name, ref(parameter)) for name, parameter in dict([*small[-1:], *small[:1]]).items()]
        if chosen:
            self._chosen[ref(optimizer, self._chosen.pop)] = chosen
            self._pairs.pop(ref(optimizer), None)
            if small and all(type(parameter) is nn.Parameter and parameter.numel() <= _FEW_VALUES for _, parameter in small):
                self._pairs[ref(optimizer, self._pairs.pop)] = (chosen[-1][1], chosen[0][1])
        return _gradients_of(chosen)

    def _examine(self, step: float, loss: float | None = None) -> None:
        """Reads all gradients and parameters, since a loss or the sum of a gradient is not finite, or those of two are 0."""
        parameters = self._parameters()
        watch = SentinelWatch()
        watch.add_all(((FORWARD, name, -1), parameter) for name, parameter in parameters.items())
        gradients = {name: parameter.grad for name, parameter in parameters.items()}
        watch.add_all(((GROUP, name, -1), gradient) for name, gradient in gradients.items() if gradient is not None)
        self._note(step, watch.tensors, watch.largest(), self._inputs(), loss)

    def _take(self, not_finite: tuple[float, str, float] | None) -> None:
        if not_finite is not None:
            step, name, total = not_finite
            self._note(step, [(GROUP, name, -1)], (total,))

    def _note(
        self,
        step: float,
        tensors: list[TensorKey],
        largest: tuple[float, ...],
        inputs: list[tuple[str, Tensor]] | None = None,
        loss: float | None = None,
    ) -> None:
        of_gradients = [value for (group, _, _), value in zip(tensors, largest, strict=True) if group == GROUP]
        are_zero = not any(of_gradients)
        is_over = not are_zero and not all(map(isfinite, largest))
        if are_zero:
            self._looks_at_zeros = 0
        if is_over:
            self.remove_hook()
            self._sums = SumsOnDevice()
        if loss is not None:
            self._losses.remove_hook()
        # The sum of large numbers can be infinite although they are finite, and that of others 0.
        if are_zero or is_over or loss is not None:
            not_finite = None if inputs is None else non_finite_inputs(inputs)
            self._write(SentinelPoint(step, "train", tuple(tensors), largest, inputs=not_finite, loss=loss))

    def _note_loss(self, step: float, loss: float) -> None:
        """A loss has arrived from a device, some steps later. Nothing else of its step is known."""
        self._losses.remove_hook()
        self._write(SentinelPoint(step, "train", (), (), loss=loss))

    def _fail(self, error: Exception) -> None:
        self.remove_hook()
        self._report(error)


def _gradients_of(chosen: list[tuple[str, ref[nn.Parameter]]]) -> list[tuple[str, Tensor]]:
    """The names and gradients of parameters; none if one of them cannot be read."""
    gradients = []
    for name, known in chosen:
        parameter = known()
        gradient = None if parameter is None else parameter.grad
        if gradient is None or not _is_readable(gradient):
            return []
        gradients.append((name, gradient))
    return gradients


def _sum_of_plain(chosen: list[tuple[str, ref[nn.Parameter]]]) -> float | None:
    """The sum of gradients as most trainings have them, in as few calls as possible; None if one of them is of another kind."""
    total = 0.0
    for _, known in chosen:
        parameter = known()
        gradient = None if parameter is None else parameter.grad
        if type(gradient) is not Tensor or not gradient.is_cpu or gradient.dtype not in WIDE or gradient.layout is not torch.strided:
            return None
        if gradient.requires_grad:
            return None
        total += gradient.sum().item()
    return total


def _is_readable(gradient: Tensor | None) -> bool:
    if gradient is None or gradient.layout is not torch.strided or not gradient.is_floating_point():
        return False
    return type(gradient) is Tensor or is_plain(gradient)
