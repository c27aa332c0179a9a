"""Networks under `fully_shard`: every rank records its parts of the parameters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.ranks import merge_ranks
from comgra_export.storage.model.layout import Shard
from support.analysis.rank_recordings import read_numbers
from support.distributed.ranks import run_ranks
from support.distributed.trials import PARAMETERS, assert_equal_forward, of_group, open_trial, record_whole_batch
from support.distributed.workers import train_with_fsdp


@pytest.mark.parametrize(("world_size", "order"), [(2, "tracked first"), (4, "sharded first")])
def test_all_ranks_together_are_the_whole_network(tmp_path: Path, world_size: int, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run_ranks(world_size, train_with_fsdp, tmp_path, "parts", order)
    whole = record_whole_batch(tmp_path, 8, monkeypatch)
    ranks = open_trial(tmp_path, "parts")
    for rank in ranks:
        assert rank.network.modules == whole.network.modules
        assert [(parameter.name, parameter.shape) for parameter in rank.network.parameters] == [
            (parameter.name, parameter.shape) for parameter in whole.network.parameters
        ]
    merged = merge_ranks(ranks)
    for step in merged.steps:
        assert merged.step(step).gaps == ()
        for index, rank in enumerate(ranks):
            entry, _ = read_numbers(rank, step)["net.first.weight"]
            assert entry.shard == Shard((5, 3), index, world_size)
        merged_numbers, expected = read_numbers(merged, step), read_numbers(whole, step)
        assert set(merged_numbers) == set(expected)
        for name, (entry, numbers) in merged_numbers.items():
            assert entry.shape == expected[name][0].shape
            if name not in PARAMETERS:
                assert_equal_forward(name, numbers, expected[name][1])
        for group in ("forward", "gradients"):
            records, expected_records = of_group(merged, step, group), of_group(whole, step, group)
            for name in PARAMETERS:
                # Without the largest singular value, which a part does not have.
                np.testing.assert_allclose(records[name][1][:4], expected_records[name][1][:4], rtol=1e-4, atol=1e-6, err_msg=name)
                assert records[name][2].tolist() == expected_records[name][2].tolist()
        of_ranks, of_whole = merged.step(step).parameters, whole.step(step).parameters
        assert of_ranks is not None
        assert of_whole is not None
        np.testing.assert_allclose(of_ranks.norm, of_whole.norm, rtol=1e-5)
        np.testing.assert_allclose(of_ranks.update_norm, of_whole.update_norm, rtol=1e-4)
