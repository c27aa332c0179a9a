"""The command line: arguments, progress, messages and exit codes, and nothing else."""

from comgra_export.cli.app import main

__all__ = ["main"]
