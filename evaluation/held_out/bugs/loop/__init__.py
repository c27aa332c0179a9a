"""Bugs in the order and the bookkeeping of the training loop."""
