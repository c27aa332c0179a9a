"""Bugs in optimizers, their parameters and learning rates."""
