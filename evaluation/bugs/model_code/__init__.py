"""Bugs in how a network is built and in its forward pass."""
