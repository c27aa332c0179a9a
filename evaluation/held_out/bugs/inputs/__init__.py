"""Bugs in data and in how they reach the network."""
