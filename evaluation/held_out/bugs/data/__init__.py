"""Bugs in inputs and targets."""
