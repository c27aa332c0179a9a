"""Bugs in first weights and in what is frozen."""
