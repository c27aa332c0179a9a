"""Bugs in how the network is put together."""
