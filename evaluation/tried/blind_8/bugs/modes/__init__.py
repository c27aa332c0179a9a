"""Bugs in which parts train, and which evaluate."""
