"""Which elements of a layer an element of a later layer can depend on, if autograd's graph proves that these are few.

Between the two layers, the graph must be a chain of operations that are known here: convolutions, pooling, normalization by fixed numbers,
linear layers and functions of single elements. What they have saved must be known, too. Then each element depends on a box of the earlier
layer: in each dimension on an interval, which moves with the element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch.autograd.graph import GradientEdge, Node

from comgra_export.recorder.host.autograd import edges_before
from comgra_export.recorder.host.torch_internals import input_metadata_of, saved_for_backward

__all__ = ["Window", "windows_between"]

_Positions = NDArray[np.int64]

_OF_SINGLE_ELEMENTS = frozenset(
    {
        *("Abs", "Add", "Alias", "Clamp", "Clone", "Cos", "Div", "Elu", "Exp", "Gelu", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyRelu"),
        *("Log", "LogSigmoid", "Mish", "Mul", "NativeDropout", "Neg", "Pow", "Relu", "Rsqrt", "Rsub", "Sigmoid", "Silu", "Sin", "Softplus"),
        *("Sqrt", "Sub", "Tanh", "Threshold", "ToCopy"),
    }
)
"""Operations whose every element depends on the same element of their input, if the shapes are the same."""


class Window(NamedTuple):
    """The largest interval of the earlier layer that an element can depend on, in one dimension. Neither end ever moves back.

    Attributes:
        first: `[n]`: the first position, for each position of the later layer.
        last: `[n]`: the last position; it is before the first if the interval is empty.
    """

    first: _Positions
    last: _Positions


def windows_between(source: GradientEdge, target: GradientEdge) -> list[Window] | None:
    """The windows in every dimension; None if nothing is proved."""
    try:
        return _follow(source, target)
    except (AttributeError, RuntimeError):
        # This version of PyTorch shows less of its operations, or what they have saved is gone.
        return None


def _follow(source: GradientEdge, target: GradientEdge) -> list[Window] | None:
    end = (source.node, source.output_nr)
    place = (target.node, target.output_nr)
    shape = _shape_of(place)
    windows = [Window(np.arange(size), np.arange(size)) for size in shape]
    while place != end:
        node, output = place
        ways = [position for position, before in enumerate(node.next_functions) if _leads(before, end)]
        if len(ways) != 1 or output != 0:
            return None
        before: Any = node.next_functions[ways[0]]
        shape_before = _shape_of(before)
        steps = _steps_of(node, ways[0], shape, shape_before)
        if steps is None or len(shape_before) != len(shape):
            return None
        windows = [
            Window(np.clip(step.first(window.first), 0, size), np.clip(step.last(window.last), -1, size - 1))
            for step, window, size in zip(steps, windows, shape_before, strict=True)
        ]
        place, shape = before, shape_before
    return windows


class _Step(NamedTuple):
    """Turns the ends of an interval after an operation into those of the interval before it."""

    first: Callable[[_Positions], _Positions]
    last: Callable[[_Positions], _Positions]


def _steps_of(node: Node, way: int, shape: Sequence[int], before: Sequence[int]) -> list[_Step] | None:
    """What an operation does in each dimension; None if that is not known."""
    name = node.name().rstrip("0123456789").removesuffix("Backward")
    saved = partial(saved_for_backward, node)
    if name in _OF_SINGLE_ELEMENTS:
        return [_SAME] * len(shape) if tuple(shape) == tuple(before) else None
    if name == "NativeBatchNorm" and way == 0 and not saved("training"):
        return [_SAME] * len(shape)
    if (name, way) in (("Addmm", 1), ("Mm", 0)):
        return [_SAME, _whole(before[1])]
    if name == "Convolution" and way == 0:
        sizes = saved("weight").shape[2:]
        make = _moving_back if saved("transposed") else _moving
        parameters = zip(
            sizes,
            saved("stride"),
            saved("padding"),
            saved("dilation"),
            strict=True,
        )
        return [_SAME, _whole(before[1]), *(make(*of_dimension) for of_dimension in parameters)]
    if name in ("MaxPool2DWithIndices", "AvgPool2D"):
        sizes = saved("kernel_size")
        dilation = saved("dilation") if name != "AvgPool2D" else (1,) * len(sizes)
        parameters = zip(sizes, saved("stride") or sizes, saved("padding"), dilation, strict=True)
        return [_SAME] * (len(shape) - len(sizes)) + [_moving(*of_dimension) for of_dimension in parameters]
    return None


_SAME = _Step(lambda first: first, lambda last: last)


def _whole(size: int) -> _Step:
    return _Step(np.zeros_like, lambda last: np.full_like(last, size - 1))


def _moving(size: int, stride: int, padding: int, dilation: int) -> _Step:
    """A window that moves by a stride."""
    reach = dilation * (size - 1)
    return _Step(lambda first: first * stride - padding, lambda last: last * stride - padding + reach)


def _moving_back(size: int, stride: int, padding: int, dilation: int) -> _Step:
    """The reverse: a window that each element of the input spreads over."""
    reach = dilation * (size - 1)
    return _Step(lambda first: -((reach - padding - first) // stride), lambda last: (last + padding) // stride)


def _shape_of(place: tuple[Any, int]) -> tuple[int, ...]:
    node, output = place
    return tuple(input_metadata_of(node)[output].shape)


def _leads(place: tuple[Node | None, int], end: tuple[Node, int]) -> bool:
    return place[0] is not None and (place == end or end in edges_before(place[0]))
