"""Bugs in modes and in how a network is validated."""
