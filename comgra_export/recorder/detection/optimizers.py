"""Which optimizers make their steps within one training step."""

from __future__ import annotations

from weakref import ref

from torch.optim.optimizer import Optimizer

__all__ = ["SharedUpdates"]


class SharedUpdates:
    """The optimizers that have made a step in the training step in progress, or in the last one, and those that should.

    An optimizer follows if it makes a step after a training step was over, and before the next began. From then on, a training step waits
    for it. Optimizers are not kept alive.

    Attributes:
        updated_by: Those that have made a step.
    """

    # Plain sets, as this happens at every step, and those of `weakref` take several times as long. A reference that stays for more than a
    # step goes with its optimizer: a script may make a new one at every step.
    def __init__(self) -> None:
        self._seen: set[ref[Optimizer]] = set()
        self.updated_by: set[ref[Optimizer]] = set()
        self._followers: set[ref[Optimizer]] = set()

    @property
    def is_updated(self) -> bool:
        """Whether any optimizer has made a step."""
        return bool(self.updated_by)

    def begin_step(self) -> None:
        """A training step begins."""
        self.updated_by.clear()

    def add(self, optimizer: Optimizer) -> bool:
        """An optimizer has made its step within the training step. Returns whether every optimizer that follows has made its step too."""
        self.updated_by.add(ref(optimizer))
        return not self._followers or self._followers <= self.updated_by

    @property
    def has_followers(self) -> bool:
        """Whether any optimizer follows."""
        return bool(self._followers)

    def has_updated(self, optimizer: Optimizer) -> bool:
        """Whether an optimizer has made its step within the training step."""
        return ref(optimizer) in self.updated_by

    def follow(self, optimizer: Optimizer) -> None:
        """An optimizer follows from now on."""
        self._followers.add(ref(optimizer, self._followers.discard))

    def forget_followers(self) -> None:
        """No optimizer follows any more: they do not take part in every step."""
        self._followers.clear()

    def is_new(self, optimizer: Optimizer) -> bool:
        """Whether this is asked of an optimizer for the first time."""
        if ref(optimizer) in self._seen:
            return False
        self._seen.add(ref(optimizer, self._seen.discard))
        return True
