"""Answers a question by an experiment, and prints the table: `python -m evaluation.questions NAME`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from evaluation.questions import anomalies, gradients, post_batch

QUESTIONS: dict[str, Callable[[int], str]] = {
    "anomalies": anomalies.results,
    "post-batch": post_batch.results,
    "gradients": gradients.results,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs an experiment."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.questions", description=__doc__)
    parser.add_argument("question", choices=QUESTIONS)
    parser.add_argument("--seeds", type=int, default=5, help="how often each is run (default 5)")
    arguments = parser.parse_args(argv)
    print(QUESTIONS[arguments.question](arguments.seeds), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
