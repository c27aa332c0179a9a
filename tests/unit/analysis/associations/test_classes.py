"""Classes of targets as categories of samples."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from comgra_export.analysis.associations import samples as module


def test_large_classes_that_differ_in_their_last_digit_are_two() -> None:
    entry = SimpleNamespace(type="target", values_per_sample=1, dtype="I64")
    means = np.array([[1234567, 1234568, 3]], np.float32)
    step = SimpleNamespace(
        step=SimpleNamespace(samples=SimpleNamespace(category=None)), places={"y": SimpleNamespace(entry=entry)}, statistics={"y": means}
    )
    assert module._categories([step]) == (("1234567", "1234568", "3"), True)  # type: ignore[list-item]
