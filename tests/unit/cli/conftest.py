"""The fixtures of the command line's tests."""

from support.cli.run import run, run_process

__all__ = ["run", "run_process"]
