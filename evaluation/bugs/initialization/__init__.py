"""Bugs in first weights, in the range of inputs and in learning rates."""
