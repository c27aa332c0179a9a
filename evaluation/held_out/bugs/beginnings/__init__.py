"""Bugs in the values that parameters begin with."""
