"""Gradient flows are refused if a network is spread over several processes, and recorded if each process has a copy of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.distributed.ranks import run_ranks
from support.distributed.trials import open_trial
from support.distributed.workers import STEPS, record_gradient_flow_of

_REMEDY = "Each of its many products would need the other processes. Record it in a run of one process that has the whole network"


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("fully_shard", "parameters of the network are spread over several processes (fully_shard)"),
        ("FullyShardedDataParallel", "parameters of the network are spread over several processes (FullyShardedDataParallel)"),
        ("DTensor", "tensors of the network are spread over several processes (DTensor)"),
        ("all_reduce", "several processes compute together in it (_AllReduce)"),
    ],
)
def test_a_network_that_is_spread_has_a_gap_instead_of_wrong_numbers(tmp_path: Path, kind: str, reason: str) -> None:
    for with_flows, without in run_ranks(2, record_gradient_flow_of, tmp_path, "spread", kind):
        assert with_flows == without
    for rank in open_trial(tmp_path, "spread"):
        for step in range(STEPS):
            description = rank.step(step)
            assert description.flows == ()
            assert [gap.reason for gap in description.gaps] == [
                f"the gradient flow 'gradient flow' could not be computed: {reason}. {_REMEDY}"
            ]


def test_copies_of_a_network_have_flows(tmp_path: Path) -> None:
    for with_flows, without in run_ranks(2, record_gradient_flow_of, tmp_path, "copies", "DistributedDataParallel"):
        assert with_flows == without
    for rank in open_trial(tmp_path, "copies"):
        assert [len(rank.step(step).flows) for step in range(STEPS)] == [1] * STEPS
        assert rank.step(0).gaps == ()
