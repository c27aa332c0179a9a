"""The fixtures of the tests of what the recorder writes."""

from support.recorder.writing import run_script

__all__ = ["run_script"]
