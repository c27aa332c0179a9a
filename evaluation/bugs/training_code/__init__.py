"""Bugs in the training loop and in the settings of the optimizer."""
