"""The fixtures of the command line's tests."""

from support.cli.run import run

__all__ = ["run"]
