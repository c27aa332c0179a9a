"""Bugs in losses and in what they are averaged over."""
