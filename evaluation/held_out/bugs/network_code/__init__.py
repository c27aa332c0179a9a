"""Bugs in the code of a network."""
