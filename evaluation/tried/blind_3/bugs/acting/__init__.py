"""Bugs in networks that learn to act."""
