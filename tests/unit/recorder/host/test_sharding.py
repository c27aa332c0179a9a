"""Tensors that are whole pass untouched."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch import nn

from comgra_export.recorder.host.sharding import local_part, resting_parameters, type_name


class _Subclass(torch.Tensor):
    """A tensor of the user's own kind."""


def test_a_whole_tensor_is_its_own_part() -> None:
    for tensor in (torch.ones(2, 3), nn.Parameter(torch.ones(2)), torch.ones(2).as_subclass(_Subclass), torch.ones(2).to_sparse()):
        part, shard = local_part(tensor)
        assert part is tensor
        assert shard is None


def test_modules_that_are_not_sharded_have_nothing_at_rest() -> None:
    network = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    assert resting_parameters(network.modules()) == {}
    assert [type_name(module) for module in network.modules()] == ["Sequential", "Linear", "ReLU"]


@pytest.mark.slow
def test_asking_imports_nothing_of_distributed_tensors() -> None:
    code = (
        "import sys, torch\n"
        "from comgra_export.recorder.host.sharding import local_part\n"
        "local_part(torch.ones(2)), local_part(torch.nn.Parameter(torch.ones(2)))\n"
        "sys.exit('torch.distributed.tensor' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
