"""How targets compare with the inputs of the same step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import comgra_export
from comgra_export.recorder.numbers.facts.target_facts import target_facts
from comgra_export.storage import TargetFact, TensorEntry, TensorReference, TensorType, find_recordings, open_recording


def _entry(name: str, kind: TensorType, array: np.ndarray[Any, Any]) -> TensorEntry:
    dtype = {"f": "F32", "i": "I64"}[array.dtype.kind]
    return TensorEntry(name, 0, name, name, kind, "kpis", dtype, dtype, array.shape, 0 if array.ndim else None, 0)


def _facts(given: object, goals: object, **changes: Any) -> tuple[TargetFact, ...]:  # noqa: ANN401
    arrays = [np.asarray(each) for each in (given, goals)]
    arrays = [each.astype(np.float32) if each.dtype.kind == "f" else each for each in arrays]
    source, target = _entry("x", "input", arrays[0]), _entry("t", "target", arrays[1])
    return target_facts([(replace(source, **changes), arrays[0].reshape(-1)), (target, arrays[1].reshape(-1))])


def test_the_squared_correlation_of_each_feature_with_numbers() -> None:
    generator = np.random.default_rng(0)
    features = generator.normal(size=(40, 4)).astype(np.float32)
    goals = (3 * features[:, 2] + 0.5 * generator.normal(size=40)).astype(np.float32)
    (fact,) = _facts(features, goals[:, None])
    expected = sorted((float(np.corrcoef(features[:, k], goals)[0, 1] ** 2) for k in range(4)), reverse=True)
    assert (fact.target, fact.input) == (TensorReference("t", 0), TensorReference("x", 0))
    assert fact.feature == 2
    assert (fact.share, fact.next_share) == pytest.approx(tuple(expected[:2]), rel=1e-5)


def test_what_classes_explain_of_each_feature_beyond_chance() -> None:
    # Feature 0: within classes the squares of the deviations sum to 4 of 12. Without what chance explains: 1 - (4 / 6) / (12 / 7).
    features = [[0, 1], [2, 1], [0, 1], [2, 1], [2, 1], [4, 1], [2, 1], [4, 1]]
    (fact,) = _facts(np.array(features, np.float32), [0, 0, 0, 0, 1, 1, 1, 1])
    total = np.square(np.array([0, 2, 0, 2, 2, 4, 2, 4]) - 2.0).sum()
    assert fact.feature == 0
    assert fact.share == pytest.approx(1 - (8 / 6) / (total / 7))
    # A feature that is the same for all samples explains nothing.
    assert fact.next_share == 0.0
    # Two classes that are one feature.
    assert _facts(np.array([[k % 2, k] for k in range(8)], np.float32), [k % 2 for k in range(8)])[0].share == 1.0


@pytest.mark.parametrize(
    ("given", "goals"),
    [
        # Seven samples.
        (np.eye(7, 3, dtype=np.float32), [0, 1] * 3 + [1]),
        # Fewer than two samples for each class.
        (np.ones((9, 3), np.float32), [0, 1, 2, 3, 4, 4, 4, 4, 4]),
        # A single feature, and a single class.
        (np.ones((8, 1), np.float32), [0, 1] * 4),
        (np.eye(8, 3, dtype=np.float32), [1] * 8),
        # Two numbers for each sample.
        (np.eye(8, 3, dtype=np.float32), np.ones((8, 2), np.float32)),
        (np.full((8, 3), np.nan, np.float32), [0, 1] * 4),
    ],
)
def test_what_cannot_be_compared_has_no_share(given: object, goals: object) -> None:
    assert _facts(given, goals) == ()


def test_targets_that_a_loss_leaves_out_are_not_compared() -> None:
    tokens = np.arange(20).reshape(2, 10)
    hidden = np.where(np.arange(20).reshape(2, 10) % 2, tokens, -100)
    assert [fact.is_same for fact in _facts(tokens, hidden)] == [True]
    # What is to be guessed was replaced in the input.
    assert [fact.is_same for fact in _facts(np.where(hidden >= 0, 19, tokens), hidden)] == [False]
    # Seven are too few.
    assert [fact.is_same for fact in _facts(tokens, np.where(tokens < 7, tokens, -100))] == [False]
    assert [fact.is_same for fact in _facts(tokens, np.where(tokens < 8, tokens, -100))] == [True]


def test_integers_are_compared_in_order() -> None:
    tokens = np.arange(12).reshape(3, 4)
    assert _facts(tokens, tokens.reshape(-1))[0].is_same is True
    assert _facts(tokens, tokens[:, ::-1])[0].is_same is False
    assert _facts(tokens, tokens[:, 1:]) == ()
    # A label beside each sample may well be an input.
    assert _facts(np.arange(12), np.arange(12)) == ()
    # A histogram that does not count all values.
    assert _facts(tokens, tokens, shape=(3, 8)) == ()


class _Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(9, 4)
        self.head = nn.Linear(4, 9)

    def forward(self, tokens: Tensor) -> Tensor:
        logits: Tensor = self.head(self.embed(tokens)).flatten(0, 1)
        return logits


def test_watch_compares_all_values_in_each_recorded_step(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = _Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with comgra_export.watch(model, tmp_path):
        for step in range(4):
            # Not contiguous: the values are compared in the order of their indices.
            tokens = torch.randint(0, 9, (6, 5)).t()
            target = tokens.roll(step // 2, dims=1)
            nn.functional.cross_entropy(model(tokens), target.flatten()).backward()
            optimizer.step()
            optimizer.zero_grad()
    recording = open_recording(find_recordings(tmp_path)[0])
    facts = [fact for number in recording.steps for fact in recording.step(number).target_facts]
    assert [fact.is_same for fact in facts] == [True, True, False, False]
    assert {fact.input.name for fact in facts} == {"model: input tokens"}
