"""The fixtures of the recorder's tests."""

from support.recorder.fixtures import fixed_seed, make_recorder, recorder

__all__ = ["fixed_seed", "make_recorder", "recorder"]
