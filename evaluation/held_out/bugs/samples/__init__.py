"""Bugs in samples and targets."""
