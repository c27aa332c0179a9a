"""Bugs in first weights and in learning rates."""
