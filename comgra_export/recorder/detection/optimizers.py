"""Which optimizers make their steps within one training step."""

from __future__ import annotations

import weakref

from torch.optim.optimizer import Optimizer

__all__ = ["SharedUpdates"]


class SharedUpdates:
    """The optimizers that have made a step in the training step in progress, or in the last one, and those that should.

    An optimizer follows if it makes a step after a training step was over, and before the next began. From then on, a training step waits
    for it. Optimizers are not kept alive.
    """

    def __init__(self) -> None:
        self._seen: weakref.WeakSet[Optimizer] = weakref.WeakSet()
        self._updated_by: weakref.WeakSet[Optimizer] = weakref.WeakSet()
        self._followers: weakref.WeakSet[Optimizer] = weakref.WeakSet()

    @property
    def is_updated(self) -> bool:
        """Whether any optimizer has made a step."""
        return bool(self._updated_by)

    @property
    def is_complete(self) -> bool:
        """Whether every optimizer that follows has made its step."""
        return not self._followers or self._followers <= self._updated_by

    def begin_step(self) -> None:
        """A training step begins."""
        self._updated_by.clear()

    def add(self, optimizer: Optimizer) -> None:
        """An optimizer has made its step within the training step."""
        self._updated_by.add(optimizer)

    def has_updated(self, optimizer: Optimizer) -> bool:
        """Whether an optimizer has made its step within the training step."""
        return optimizer in self._updated_by

    def follow(self, optimizer: Optimizer) -> None:
        """An optimizer follows from now on."""
        self._followers.add(optimizer)

    def forget_followers(self) -> None:
        """No optimizer follows any more: they do not take part in every step."""
        self._followers.clear()

    def is_new(self, optimizer: Optimizer) -> bool:
        """Whether this is asked of an optimizer for the first time."""
        is_new = optimizer not in self._seen
        self._seen.add(optimizer)
        return is_new
