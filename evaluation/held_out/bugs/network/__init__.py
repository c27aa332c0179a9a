"""Bugs in how a network is put together."""
