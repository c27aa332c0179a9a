"""Bugs in the training loop and in what the optimizer does."""
