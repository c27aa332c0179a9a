"""Merged histograms of all ranks equal the histograms of all their values together."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from comgra_export.analysis.ranks import MergedRecording
from comgra_export.storage.arrays.histograms import decode_histograms, encode_histograms, histogram_of
from comgra_export.storage.model.layout import Shard
from support.analysis.rank_recordings import Array, Tensor, merged_ranks, tensor
from support.breadth import examples


def counted(values: Array, *, batch: int | None = None, shard: Shard | None = None) -> Tensor:
    return tensor("x", values, batch=batch, kind="kpis", histogram=True, shard=shard)


def assert_counts_of(merged: MergedRecording, values: Array) -> None:
    """The counts are those of numpy's values, all in one."""
    histograms = merged.histograms(0)
    bins, counts = encode_histograms([histogram_of(values)[0]])
    assert histograms.bins.tolist() == bins.tolist()
    assert histograms.counts.tolist() == counts.tolist()


@examples(20)
@given(seed=st.integers(0, 2**32), sizes=st.lists(st.integers(0, 30), min_size=1, max_size=4))
def test_samples_of_all_ranks_are_added_up(seed: int, sizes: list[int]) -> None:
    generator = np.random.default_rng(seed)
    values = (generator.normal(size=(sum(sizes), 2)) * 10.0 ** generator.integers(-9, 9)).astype(np.float32)
    values.reshape(-1)[::7] = generator.choice([0, np.nan, np.inf, -np.inf])
    parts = np.split(values, np.cumsum(sizes)[:-1])
    with TemporaryDirectory() as folder:
        merged = merged_ranks(Path(folder), [[counted(part, batch=0)] for part in parts])
        assert_counts_of(merged, values)
        (quantiles,) = merged.histograms(0).quantiles
    exact = histogram_of(values)[1]
    for quantile, wanted in zip(quantiles.tolist(), exact.tolist(), strict=True):
        if np.isfinite(wanted):
            # To within a bin: a quarter of a power of two at most.
            assert abs(quantile - wanted) <= abs(wanted) / 4
        else:
            np.testing.assert_equal(quantile, wanted)


def test_what_is_the_same_on_all_ranks_counts_once_and_keeps_its_quantiles(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    merged = merged_ranks(tmp_path, [[counted(values)], [counted(values.copy())]])
    assert_counts_of(merged, values)
    assert merged.histograms(0).quantiles[0].tolist() == histogram_of(values)[1].tolist()


def test_what_differs_is_added_up(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(2, 5, 3)).astype(np.float32)
    assert_counts_of(merged_ranks(tmp_path, [[counted(values[0])], [counted(values[1])]]), values)


def test_a_part_that_two_ranks_hold_counts_once(tmp_path: Path) -> None:
    values = np.arange(12, dtype=np.float32).reshape(4, 3)
    ranks = [[counted(values[index * 2 : index * 2 + 2], shard=Shard((4, 3), index, 2))] for index in (0, 1, 0, 1)]
    assert_counts_of(merged_ranks(tmp_path, ranks), values)


def test_without_a_histogram_on_one_rank_there_is_none(tmp_path: Path) -> None:
    values = np.ones((2, 2), np.float32)
    merged = merged_ranks(tmp_path, [[counted(values)], [tensor("x", values, batch=None, kind="kpis")]])
    assert decode_histograms(*merged.histograms(0)[:2]) == []
