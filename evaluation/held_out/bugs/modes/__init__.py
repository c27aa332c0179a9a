"""Bugs in modes of training and evaluation."""
