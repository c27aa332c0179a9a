"""Bugs in the network: its layers, their initialization and what they share."""
