"""How the recorder compares the tokens of a sample."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import comgra_export
from comgra_export.recorder.numbers.facts.token_facts import token_facts
from comgra_export.storage import TensorEntry, TensorReference, open_recording

RANDOM = np.random.default_rng(0)


def entry(*shape: int, batch_dimension: int | None = 0, dtype: str = "F32") -> TensorEntry:
    return TensorEntry("x", 0, "x", "x", "calculated", "kpis", dtype, dtype, shape, batch_dimension, 1)


def alike(*shape: int, noise: float) -> Any:  # noqa: ANN401
    return (1 + noise * RANDOM.normal(size=shape)).astype(np.float32)


def test_the_mean_cosine_between_different_tokens_of_the_first_samples() -> None:
    values = alike(6, 5, 16, noise=0.1)
    # Later samples do not count.
    values[4:] = RANDOM.normal(size=(2, 5, 16))
    (fact,) = token_facts([(entry(6, 5, 16), values.reshape(-1))])
    first = values[:4].astype(np.float64)
    pairs = [
        sample[i] @ sample[j] / np.linalg.norm(sample[i]) / np.linalg.norm(sample[j])
        for sample in first
        for i in range(5)
        for j in range(5)
        if i != j
    ]
    assert fact.tensor == TensorReference("x", 0)
    assert fact.cosine == pytest.approx(np.mean(pairs))


@pytest.mark.parametrize(
    ("shape", "changes", "noise", "count"),
    [
        ((2, 4, 16), {}, 0.0, 1),
        ((2, 3, 16), {}, 0.0, 0),
        ((2, 4, 15), {}, 0.0, 0),
        ((2, 64), {}, 0.0, 0),
        ((2, 4, 16), {"batch_dimension": 1}, 0.0, 0),
        ((2, 4, 16), {}, 0.5, 0),
        ((2, 4, 16), {"dtype": "I64"}, 0.0, 0),
    ],
    ids=["equal", "three tokens", "fifteen features", "no tokens", "tokens first", "different", "integers"],
)
def test_what_is_compared(shape: tuple[int, ...], changes: dict[str, Any], noise: float, count: int) -> None:
    values = alike(*shape, noise=noise)
    given = values.astype(np.int64) if changes.get("dtype") == "I64" else values
    assert len(token_facts([(entry(*shape, **changes), given.reshape(-1))])) == count


def test_parts_of_the_values_and_those_that_are_not_finite_are_left_out() -> None:
    values = alike(4, 4, 16, noise=0.0)
    assert token_facts([(entry(4, 4, 16), values.reshape(-1)[::2])]) == ()
    for value in (np.nan, np.inf, 0.0):
        values[0, 0] = value
        assert token_facts([(entry(4, 4, 16), values.reshape(-1))]) == ()
    assert token_facts([(entry(0, 4, 16), np.zeros(0, np.float32))]) == ()


class Averaging(nn.Module):
    """Gives each token a part of its own features, or the mean over all."""

    def __init__(self, own: float) -> None:
        super().__init__()
        self.lift, self.out, self.own = nn.Linear(3, 16), nn.Linear(16, 1), own

    def forward(self, x: Tensor) -> Tensor:
        h = self.lift(x)
        result: Tensor = self.out(self.own * h + h.mean(1, keepdim=True))
        return result


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(("own", "names"), [(0.0, {"model.out: input"}), (1.0, set())])
def test_a_recording_names_tensors_whose_tokens_are_equal(tmp_path: Path, own: float, names: set[str], dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    model = Averaging(own).to(dtype)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    with comgra_export.watch(model, tmp_path, every=1, check=False):
        for _ in range(2):
            optimizer.zero_grad()
            model(torch.randn(6, 5, 3, dtype=dtype)).square().mean().backward()
            optimizer.step()
    recording = open_recording(tmp_path / "default" / "trial" / "rank-0")
    assert [{fact.tensor.name for fact in recording.step(number).token_facts} for number in recording.steps] == [names] * 2
