"""Bugs in indices, shapes and positions."""
