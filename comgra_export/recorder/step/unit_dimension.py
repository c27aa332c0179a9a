"""Which tensors have units whose statistics are recorded, and along which dimension these units lie."""

from __future__ import annotations

from torch import Tensor

__all__ = ["unit_dimension"]

# A unit of these is inactive if it returns zeros.
_ACTIVATIONS = frozenset(f"{name}Backward0" for name in ("Relu", "Hardtanh", "Threshold", "Gelu", "Silu", "Mish", "Hardswish", "Softplus"))

_OF_CHANNELS = ("Convolution", "BatchNorm", "GroupNorm", "InstanceNorm", "MaxPool", "AvgPool")
_OF_FEATURES = ("Addmm", "Mm", "View", "UnsafeView", "NativeLayerNorm", "Linear")


def unit_dimension(tensor: Tensor, operation: str | None, batch_dimension: int | None) -> int | None:
    """The dimension of the units of an activation: that of channels or of features; None for any other tensor.

    The operation before the activation tells which it is, and otherwise the number of dimensions: the second of feature maps with several
    spatial dimensions, and the last of all others.
    """
    if batch_dimension is None or operation not in _ACTIVATIONS or tensor.grad_fn is None:
        return None
    dimensions = tensor.dim()
    before = tensor.grad_fn.next_functions[0][0]
    name = "" if before is None else before.name()
    if any(word in name for word in _OF_CHANNELS):
        dimension = 1
    elif name.removesuffix("Backward0") in _OF_FEATURES:
        dimension = dimensions - 1
    else:
        dimension = 1 if dimensions in (4, 5) else dimensions - 1
    return dimension if 0 < dimension < dimensions and dimension != batch_dimension else None
