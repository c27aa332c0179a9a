"""The fixtures of the storage's tests."""

from support.storage.damage import folder

__all__ = ["folder"]
