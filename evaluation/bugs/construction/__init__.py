"""Bugs in how a network is built: its layers, their activations and their first weights."""
