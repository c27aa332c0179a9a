"""Merged numbers of all ranks equal the numbers of all their values together."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comgra_export.analysis.ranks import FLAG_RANKS_DIFFER, merge_ranks
from comgra_export.storage import Group, Header, Kind, Layout, RecordedSamples, RecordingWriter, StepDescription
from comgra_export.storage.model.layout import Shard
from support.analysis.rank_recordings import (
    Array,
    Tensor,
    assert_same_numbers,
    merged_ranks,
    numbers_of,
    open_ranks,
    read_numbers,
    tensor,
    write_rank,
)
from support.breadth import examples
from support.storage.strategies import Record, Step

quick = examples(60)
TOLERANCES = {"float32": 1e-5, "float64": 1e-12}


@st.composite
def arrays(draw: st.DrawFn, shape: tuple[int, ...], dtype: str) -> Array:
    """Numbers around a mean that may be far from 0; of all orders of magnitude; or with non-finite ones among them."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    # Squares of float64 numbers may be too small or too large for float64.
    scale = 10.0 ** draw(st.integers(-15, 15) if dtype == "float32" else st.sampled_from([-200, -9, 0, 9, 200]))
    values = (generator.normal(size=shape) + draw(st.sampled_from([0.0, 3.0]))) * scale
    share = draw(st.sampled_from([0.0, 0.0, 0.3]))
    special = generator.choice([np.nan, np.inf, -np.inf, 0.0], size=shape, p=[0.1, 0.2, 0.2, 0.5])
    return np.where(generator.random(shape) < share, special, values).astype(dtype)


def magnitude(values: Array) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size else 1.0


@quick
@given(st.data())
def test_samples_of_all_ranks_are_one_batch(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(["float32", "float64"]))
    sizes = data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=4))
    batch = data.draw(st.integers(0, 2))
    shape = data.draw(st.lists(st.integers(0, 3), min_size=2, max_size=2))
    shape.insert(batch, sum(sizes))
    values = data.draw(arrays(tuple(shape), dtype))
    parts = np.split(values, np.cumsum(sizes)[:-1], axis=batch)
    kind: Kind = data.draw(st.sampled_from(["neuron", "kpis"]))
    ranks = [[tensor("x", part, batch=batch, kind=kind, samples=min(size, 2))] for part, size in zip(parts, sizes, strict=True)]
    with TemporaryDirectory() as folder:
        entry, record = read_numbers(merged_ranks(Path(folder), ranks))["x"]
    whole = tensor("x", values, batch=batch, kind=kind)
    assert entry == whole.entry
    assert_same_numbers(record, numbers_of(whole.entry, values), tolerance=TOLERANCES[dtype], of_magnitude=magnitude(values))


@quick
@given(st.data())
def test_parts_are_put_together_and_count_once(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(["float32", "float64"]))
    rows, count, copies = data.draw(st.integers(0, 7)), data.draw(st.integers(2, 4)), data.draw(st.integers(1, 2))
    values = data.draw(arrays((rows, 3), dtype))
    kind: Kind = data.draw(st.sampled_from(["neuron", "kpis"]))
    # Cut as torch does: equal parts from the front, then the rest.
    size = math.ceil(rows / count)
    parts = [values[index * size : (index + 1) * size] for index in range(count)]
    ranks = [
        [tensor("w", part, batch=None, kind=kind, shard=Shard(values.shape, index, count))]
        for _ in range(copies)
        for index, part in enumerate(parts)
    ]
    with TemporaryDirectory() as folder:
        entry, record = read_numbers(merged_ranks(Path(folder), ranks))["w"]
    whole = tensor("w", values, batch=None, kind="kpis").entry
    assert entry == whole
    assert_same_numbers(record, numbers_of(whole, values), tolerance=TOLERANCES[dtype], of_magnitude=magnitude(values))


@quick
@given(st.data())
def test_different_values_without_a_batch_dimension_are_pooled(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=2, max_size=4, unique=True))
    parts = [data.draw(arrays((size, 2), "float64")) for size in sizes]
    values = np.concatenate(parts)
    ranks = [[tensor("gradient", part, batch=None, kind="kpis")] for part in parts]
    with TemporaryDirectory() as folder:
        entry, record = read_numbers(merged_ranks(Path(folder), ranks))["gradient"]
    assert entry.shape == (max(sizes), 2)
    expected = numbers_of(replace(entry, shape=values.shape), values)
    assert record.counts[4] == FLAG_RANKS_DIFFER
    record.counts[4] = 0
    assert_same_numbers(record, expected, tolerance=1e-12, of_magnitude=magnitude(values))


def test_the_batch_dimension_may_be_what_is_sharded(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    parts = [values[:3], values[3:], values[:3], values[3:]]
    ranks = [[tensor("x", part, samples=1, shard=Shard((5, 3), index % 2, 2))] for index, part in enumerate(parts)]
    entry, record = read_numbers(merged_ranks(tmp_path, ranks))["x"]
    assert entry == tensor("x", values).entry
    assert_same_numbers(record, numbers_of(entry, values), tolerance=1e-6)


def test_of_samples_that_are_spread_over_ranks_only_what_follows_is_there(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(4, 7))
    ranks = [[tensor("x", part, shard=Shard((4, 7), index, 2))] for index, part in enumerate([values[:, :4], values[:, 4:]])]
    merged = merged_ranks(tmp_path, ranks)
    entry, record = read_numbers(merged)["x"]
    assert (entry.kind, entry.shape) == ("kpis", (4, 7))
    mean, abs_mean, std, abs_max = record.statistics
    np.testing.assert_allclose(mean, [values.mean(), np.nan, np.nan])
    np.testing.assert_allclose(abs_mean, [np.abs(values).mean(), np.nan, np.nan])
    assert np.isnan(std).all()
    np.testing.assert_allclose(abs_max, [np.nan, np.abs(values).max(), np.nan])
    assert record.extrema.tolist() == [values.min(), values.max()]
    assert [(gap.tensor, "neurons" in gap.reason) for gap in merged.step(0).gaps] == [("x", True)]


def matrix(values: Array, shard: Shard | None = None) -> Tensor:
    return tensor("net.weight", values, batch=None, kind="kpis_and_svd", type="parameter", shard=shard)


def test_what_is_equal_on_all_ranks_is_taken_bit_by_bit(tmp_path: Path) -> None:
    weight = np.random.default_rng(0).normal(size=(3, 3)).astype(np.float32)
    table = np.array([[np.nan, np.inf], [0.0, -0.0]], np.float32)
    ranks = [[matrix(weight), tensor("table", table, batch=None)] for _ in range(3)]
    merged = merged_ranks(tmp_path, ranks)
    for name, original in (("net.weight", ranks[0][0]), ("table", ranks[0][1])):
        entry, record = read_numbers(merged)[name]
        expected = numbers_of(original.entry, original.values)
        assert entry == original.entry
        assert record.counts.tolist() == expected.counts.tolist()
        assert record.extrema.tobytes() == expected.extrema.tobytes()
        assert record.statistics.tobytes() == expected.statistics.tobytes()
        assert record.values.tobytes() == expected.values.tobytes()


def test_replicas_that_drifted_apart_are_flagged_and_have_no_singular_value(tmp_path: Path) -> None:
    weights = [np.ones((2, 2)), np.array([[1.0, 1.0], [1.0, 2.0]])]
    entry, record = read_numbers(merged_ranks(tmp_path, [[matrix(weight)] for weight in weights]))["net.weight"]
    assert entry.shape == (2, 2)
    assert record.counts.tolist() == [0, 0, 0, 0, FLAG_RANKS_DIFFER]
    np.testing.assert_allclose(record.statistics[:, 0], [9 / 8, 9 / 8, float(np.std([1] * 7 + [2], ddof=1)), 2, np.nan])


def test_singular_values_of_parts_are_not_those_of_the_matrix(tmp_path: Path) -> None:
    weight = np.random.default_rng(0).normal(size=(4, 3))
    ranks = [[matrix(part, Shard((4, 3), index, 2))] for index, part in enumerate([weight[:2], weight[2:]])]
    _, record = read_numbers(merged_ranks(tmp_path, ranks))["net.weight"]
    expected = numbers_of(matrix(weight).entry, weight).statistics[:, 0]
    np.testing.assert_allclose(record.statistics[:, 0], [*expected[:4], np.nan])


@pytest.mark.parametrize(
    ("losses", "mean", "flags"),
    [((1.0, 2.0, 6.0), 3.0, FLAG_RANKS_DIFFER), ((0.1, 0.1, 0.1), 0.1, 0), ((1.0, np.nan, 2.0), np.nan, FLAG_RANKS_DIFFER)],
)
def test_a_single_value_is_the_mean_over_the_ranks(tmp_path: Path, losses: tuple[float, ...], mean: float, flags: int) -> None:
    ranks = [[tensor("loss", np.array(loss), batch=None, kind="single_value", type="loss")] for loss in losses]
    _, record = read_numbers(merged_ranks(tmp_path, ranks))["loss"]
    np.testing.assert_array_equal(record.statistics, [[mean]])
    finite = [loss for loss in losses if np.isfinite(loss)]
    assert record.extrema.tolist() == [min(finite), max(finite)]
    assert record.counts.tolist() == [int(np.isnan(mean)) if flags else 0, 0, 0, 0, flags]


def test_values_without_a_batch_dimension_that_differ_are_left_to_the_ranks(tmp_path: Path) -> None:
    running = [np.arange(4.0), np.arange(4.0) + 1]
    merged = merged_ranks(tmp_path, [[tensor("running_mean", values, batch=None)] for values in running])
    entry, record = read_numbers(merged)["running_mean"]
    assert (entry.kind, record.values.size) == ("kpis", 0)
    np.testing.assert_allclose(record.statistics[0], [2.0])


def test_neurons_of_different_shapes_are_left_to_the_ranks(tmp_path: Path) -> None:
    padded = [np.full((2, 3), 1.0), np.full((2, 5), 4.0)]
    merged = merged_ranks(tmp_path, [[tensor("x", values)] for values in padded])
    entry, record = read_numbers(merged)["x"]
    assert (entry.kind, entry.shape) == ("kpis", (4, 5))
    np.testing.assert_allclose(record.statistics[0], [2.5, 4.0, float(np.std([1, 1, 4, 4], ddof=1))])
    assert [gap.tensor for gap in merged.step(0).gaps] == ["x"]


def test_an_absent_gradient_is_absent_only_where_no_rank_has_one(tmp_path: Path) -> None:
    for rank, present in enumerate([0.0, 2.0]):
        values = [tensor("nowhere", np.zeros((2, 2))), tensor("somewhere", np.full((2, 2), present))]
        write_rank(tmp_path, rank, values, absent={"nowhere": True, "somewhere": rank == 0}).close()
    numbers = read_numbers(merge_ranks(open_ranks(tmp_path)))
    assert numbers["nowhere"][1].counts.tolist() == [0, 0, 0, 8, 1]
    assert numbers["somewhere"][1].counts.tolist() == [0, 0, 0, 4, FLAG_RANKS_DIFFER]
    assert numbers["somewhere"][1].statistics[0, 0] == 1.0


def test_counts_beyond_32_bits_are_added_up(tmp_path: Path) -> None:
    large = 2_000_000_000
    entry = replace(tensor("w", np.zeros(1), batch=None, kind="kpis").entry, shape=(large,))
    for rank in range(2):
        layout = Layout((replace(entry, shard=Shard((2 * large,), rank, 2)),), (Group("forward", (0,)),))
        record = Record(np.array([0, 0, 0, large, 0], np.int32), np.zeros(2), np.zeros(4), np.zeros(0), np.zeros(0))
        writer = RecordingWriter(tmp_path / "group" / "trial" / f"rank-{rank}", Header("group", "trial", rank, 2))
        writer.write_step(
            StepDescription(0, "train", 1, writer.write_layout(layout), (), RecordedSamples(())), Step(layout, (record,), 0).blobs()
        )
        writer.close()
    merged = merge_ranks(open_ranks(tmp_path))
    assert merged.blobs(0)["counts"].dtype == "I64"
    assert merged.blobs(0)["counts"].data.tolist() == [[0, 0, 0, 2 * large, 0]]
