"""Values in two bytes: which type holds them, and rounding to it.

float16 has eleven significant bits and a small range, bfloat16 eight and the range of float32. No finite value becomes infinite, and
none but zero becomes zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["ROUNDABLE", "Magnitudes", "half_dtype", "round_to"]

ROUNDABLE = frozenset({"F32", "F64"})
"""The dtypes of values that are rounded. Whole numbers are not, and what has two bytes stays as it is."""

# Below, float16 has few bits left for values that are small among those of their tensor; above, it has no room for
# standard deviations, which may be larger than the largest value.
_SMALLEST_FOR_F16 = 2.0**-8
_LARGEST_FOR_F16 = 40_000.0
_LARGEST_FOR_BF16 = 2.0e38
_TINY_F16 = np.uint16(1)


@dataclass(frozen=True)
class Magnitudes:
    """How large the finite values of a tensor are.

    Attributes:
        largest: The largest magnitude of all.
        smallest_largest: The smallest of the largest magnitudes that its records have, records of zeros aside; infinity without others.
    """

    largest: float
    smallest_largest: float


def half_dtype(wanted: Literal["F16", "BF16"], magnitudes: Magnitudes) -> str | None:
    """The two-byte dtype for values of these magnitudes: the one wanted, BF16 where F16 does not fit them; None if neither does."""
    if magnitudes.largest > _LARGEST_FOR_BF16:
        return None
    fits = magnitudes.largest <= _LARGEST_FOR_F16 and magnitudes.smallest_largest >= _SMALLEST_FOR_F16
    return "F16" if wanted == "F16" and fits else "BF16"


def round_to(dtype: str, values: NDArray[np.generic]) -> NDArray[np.generic]:
    """Rounds float32 or float64 to the nearest number of a two-byte dtype, as `half_dtype` chose it; BF16 comes as uint16."""
    with np.errstate(over="ignore", under="ignore"):
        return _to_f16(values) if dtype == "F16" else _to_bf16(values.astype(np.float32, copy=False))


def _to_f16(values: NDArray[np.generic]) -> NDArray[np.generic]:
    rounded: NDArray[np.generic] = values.astype(np.float16)
    bits: NDArray[np.uint16] = rounded.view(np.uint16)
    vanished = ((bits & np.uint16(0x7FFF)) == 0) & (values != 0)
    if vanished.any():
        bits[vanished] |= _TINY_F16
    _take_from_infinity(bits, values, np.uint16(0x7C00))
    return rounded


def _to_bf16(values: NDArray[np.float32]) -> NDArray[np.generic]:
    bits: NDArray[np.uint32] = np.ascontiguousarray(values).view(np.uint32)
    rounded: NDArray[np.uint32] = (bits + (((bits >> np.uint32(16)) & np.uint32(1)) + np.uint32(0x7FFF))) >> np.uint32(16)
    special = (bits & np.uint32(0x7F800000)) == np.uint32(0x7F800000)
    if special.any():
        # Infinities are cut off exactly; a NaN must not become one.
        quiet = np.where((bits & np.uint32(0x7FFFFF)) != 0, np.uint32(0x40), np.uint32(0))
        rounded = np.where(special, (bits >> np.uint32(16)) | quiet, rounded)
    result = rounded.astype(np.uint16)
    _take_from_infinity(result, values, np.uint16(0x7F80))
    return result


def _take_from_infinity(bits: NDArray[np.uint16], values: NDArray[np.generic], infinity: np.uint16) -> None:
    """Make the largest finite number of what was finite and no longer is: values beyond what their recording says of them."""
    overflown = ((bits & np.uint16(0x7FFF)) == infinity) & np.isfinite(values)
    if overflown.any():
        bits[overflown] -= np.uint16(1)
