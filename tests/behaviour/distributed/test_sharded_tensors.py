"""Sharded tensors: every process holds a part."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comgra_export.storage.model.layout import Shard
from support.analysis.rank_recordings import assert_same_numbers, merged_ranks, numbers_of, read_numbers, tensor
from support.distributed.ranks import run_ranks
from support.distributed.workers import look_at_sharded_network, take_parts

VALUES = np.arange(35.0, dtype=np.float32).reshape(5, 7)


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The local parts of several tensors on each of four ranks."""
    return run_ranks(4, take_parts, tmp_path_factory.mktemp("parts"))


def test_every_rank_finds_its_part_without_asking_the_others(ranks: list[dict[str, Any]]) -> None:
    assert [rank["communication"] for rank in ranks] == [0] * 4
    assert all(rank["shares memory"] for rank in ranks)

    def parts(name: str) -> list[tuple[list[list[float]], Shard | None]]:
        return [(rank[name][0].tolist(), rank[name][1]) for rank in ranks]

    def part(rows: slice, columns: slice, index: int, count: int) -> tuple[list[list[float]], Shard]:
        return VALUES[rows, columns].tolist(), Shard((5, 7), index, count)

    everything = slice(None)
    assert parts("replicated") == [(VALUES.tolist(), None)] * 4
    assert parts("still on its way") == [(VALUES.tolist(), None)] * 4
    halves = [part(slice(3), everything, 0, 2), part(slice(3, 5), everything, 1, 2)]
    assert parts("rows") == halves * 2
    assert parts("parameter") == halves * 2
    assert parts("rows of the first dimension") == [halves[0], halves[0], halves[1], halves[1]]
    assert parts("rows and columns") == [
        part(rows, columns, index, 4)
        for index, (rows, columns) in enumerate(
            [(slice(3), slice(4)), (slice(3), slice(4, 7)), (slice(3, 5), slice(4)), (slice(3, 5), slice(4, 7))]
        )
    ]
    assert parts("rows twice") == [
        part(rows, everything, index, 4) for index, rows in enumerate([slice(2), slice(2, 3), slice(3, 4), slice(4, 5)])
    ]
    assert [(values, shard) for values, shard in parts("too few rows")] == [
        (VALUES[:1].tolist() if index == 0 else [], Shard((1, 7), index, 4)) for index in range(4)
    ]
    assert parts("on half of the mesh") == [part(everything, slice(4), 0, 2), part(everything, slice(4, 7), 1, 2)] * 2
    assert [rank["sums"] for rank in ranks] == ["its values are sums that were not yet reduced over the ranks"] * 4
    assert [rank["on other processes"] for rank in ranks[2:]] == ["it lives on other processes than this one"] * 2


@pytest.mark.parametrize("name", ["rows", "rows of the first dimension", "rows and columns", "rows twice", "on half of the mesh"])
def test_the_parts_make_the_whole(tmp_path: Path, ranks: list[dict[str, Any]], name: str) -> None:
    parts = [rank[name] for rank in ranks]
    recorded = [[tensor("w", values, batch=None, kind="kpis", shard=shard)] for values, shard in parts]
    entry, numbers = read_numbers(merged_ranks(tmp_path, recorded))["w"]
    assert entry.shape == (5, 7)
    assert_same_numbers(numbers, numbers_of(entry, VALUES), tolerance=1e-6)


def test_networks_under_fully_shard_look_as_the_user_wrote_them(tmp_path: Path) -> None:
    resting = [(layer, attribute, "DTensor") for layer in ("first", "second") for attribute in ("bias", "weight")]
    types = [("FSDPNetwork", "Network"), ("FSDPLinear", "Linear"), ("Linear", "Linear")]
    assert run_ranks(2, look_at_sharded_network, tmp_path) == [(resting, types)] * 2
