"""Bugs in the loop of training."""
