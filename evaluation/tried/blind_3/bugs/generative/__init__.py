"""Bugs in networks that generate, encode or compare."""
