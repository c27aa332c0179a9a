"""Whether gradients are averaged over the processes of a distributed run. No process waits for another to find out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, MutableMapping

import torch.distributed
from torch import Tensor
from torch.nn.parallel import DistributedDataParallel

from comgra_export.recorder.host.torch_internals import averaging_hooks, uses_python_reducer

__all__ = ["AveragingOverRanks", "run_is_distributed"]


def run_is_distributed() -> bool:
    """Whether `torch.distributed` is in use in this process."""
    return torch.distributed.is_available() and torch.distributed.is_initialized()


class AveragingOverRanks:
    """Follows `DistributedDataParallel` modules through the backward passes of one step.

    Args:
        data_parallel: The modules that ran forwards with gradients turned on, and whether their next backward pass averages. The caller
            updates it with every forward pass, and this after every backward pass, which averages only once.
    """

    def __init__(self, data_parallel: MutableMapping[DistributedDataParallel, bool]) -> None:
        self._data_parallel = data_parallel
        self._averaged: dict[int, bool | None] = {}

    def after_backward(self, touched: Mapping[int, tuple[Tensor, int]]) -> None:
        """Notes that a backward pass has added to the gradients of parameters, and of how many passes each is the sum now."""
        # All that the gradient holds is averaged, including what earlier passes added without averaging.
        owners = {id(parameter): module for module in self._data_parallel for parameter in module.parameters()}
        reached: set[DistributedDataParallel] = set()
        for position, (parameter, passes) in touched.items():
            module = owners.get(id(parameter))
            if module is None or not _averages_when_asked(module):
                self._averaged[position] = None
                continue
            reached.add(module)
            if self._data_parallel[module]:
                self._averaged[position] = True
            elif passes == 1 or self._averaged.get(position) is False:
                self._averaged[position] = False
            else:
                self._averaged[position] = None
        for module in reached:
            self._data_parallel[module] = False

    def averaged(self, positions: Collection[int]) -> bool | None:
        """Whether the gradients of these parameters are averaged; None if they differ, there are none, or it is not known."""
        answers = {self._averaged.get(position) for position in positions}
        return answers.pop() if len(answers) == 1 else None


def _averages_when_asked(module: DistributedDataParallel) -> bool:
    # Other hooks may change the gradients in any way.
    return all(
        getattr(hook, "__module__", None) == "torch.distributed.algorithms.ddp_comm_hooks.default_hooks" for hook in averaging_hooks(module)
    ) and not uses_python_reducer(module)
