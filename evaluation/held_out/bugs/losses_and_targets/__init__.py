"""Bugs in losses, and in what they compare with."""
