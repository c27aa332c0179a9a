"""Singular values among the numbers of a step, by compiled kernels and by torch."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from comgra_export import ComgraRecorder
from support.recorder.reading import read_records

# One of every kind that is computed differently.
MATRICES: dict[str, Tensor] = {
    "wide": torch.randn(40, 700, generator=torch.Generator().manual_seed(0)),
    "transposed": torch.randn(700, 40, generator=torch.Generator().manual_seed(1)).mT,
    "neither": torch.randn(60, 80, generator=torch.Generator().manual_seed(2))[::2, ::3],
    "large": torch.randn(600, 500, generator=torch.Generator().manual_seed(3)),
    "of bfloat16": torch.randn(30, 20, generator=torch.Generator().manual_seed(4)).bfloat16(),
    "of float64": torch.randn(30, 20, generator=torch.Generator().manual_seed(5), dtype=torch.float64),
    "zero": torch.zeros(30, 20),
    "huge": torch.randn(30, 20, generator=torch.Generator().manual_seed(6)) * 1e36,
    "broken": torch.tensor([[1.0, math.nan], [2.0, 3.0]]),
}


def singular_values_of(recorder: ComgraRecorder) -> dict[str, float]:
    network = torch.nn.Module()
    for name, matrix in MATRICES.items():
        network.register_parameter(name, torch.nn.Parameter(matrix))
    recorder.track_module("m", network)
    with recorder.batch(0, 1), recorder.iteration():
        pass
    return {name.removeprefix("m."): each.statistics["svd"][0] for (_, name, _), each in read_records(recorder).items()}


@pytest.mark.usefixtures("way")
def test_of_matrices_of_every_kind(recorder: ComgraRecorder) -> None:
    values = singular_values_of(recorder)
    assert values.keys() == MATRICES.keys()
    for name, matrix in MATRICES.items():
        expected = math.nan if name == "broken" else torch.linalg.svdvals(matrix.double())[0].item()
        assert values[name] == pytest.approx(expected, rel=1e-5, nan_ok=True), name
