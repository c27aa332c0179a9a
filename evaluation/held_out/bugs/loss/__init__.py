"""Bugs in loss functions."""
