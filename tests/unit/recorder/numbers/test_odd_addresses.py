"""Tensors whose values lie at odd addresses, such as those of a mapped file: kernels get an aligned copy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from comgra_export.recorder.numbers import kernels


@pytest.mark.skipif(not kernels.are_worthwhile(1), reason="There are no compiled kernels")
def test_kernels_read_no_odd_address(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = np.arange(-6, 6, dtype=np.float32)
    values = torch.frombuffer(bytearray(b"\0" + expected.tobytes()), dtype=torch.float32, offset=1)
    assert values.data_ptr() % 4
    addresses = []

    class Noting:
        def __getattr__(self, name: str) -> Callable[..., object]:
            def call(address: int, *arguments: object, **options: object) -> object:
                addresses.append(address)
                return getattr(compiled, name)(address, *arguments, **options)

            return call

    compiled = kernels._KERNELS
    monkeypatch.setattr(kernels, "_KERNELS", Noting())
    assert kernels.largest_magnitude(values) == 6
    rows = kernels.read_rows(values, 3)
    assert rows is not None
    assert kernels.aggregate_columns(values.view(3, 4))[0].tolist() == expected.reshape(3, 4).mean(axis=0).tolist()
    assert kernels.measure_units(values, 1, 3, 4, 3)[:3].tolist() == [6, 2, 5]
    norms = torch.zeros(2, dtype=torch.float64)
    kernels.norms_before_and_of_change(values, values, norms)
    assert norms.tolist() == [pytest.approx(float(np.linalg.norm(expected))), 0]
    assert len(addresses) == 5
    assert not any(address % 4 for address in addresses)
