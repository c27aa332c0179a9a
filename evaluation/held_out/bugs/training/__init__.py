"""Bugs in the training loop, optimizers and weights."""
