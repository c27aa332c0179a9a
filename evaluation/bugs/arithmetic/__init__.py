"""Bugs that end in values that are not finite."""
