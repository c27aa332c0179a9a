"""The fixtures of the tests of watched modules."""

from support.recorder.watched_losses import train

__all__ = ["train"]
