"""Paths of the files that the tests read."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parents[1]
CHECKOUT = TESTS.parent
DATA = TESTS / "data"
