"""The fixtures of the command line's tests."""

from support.cli.run import run, run_process
from support.cli.written_group import group

__all__ = ["group", "run", "run_process"]
