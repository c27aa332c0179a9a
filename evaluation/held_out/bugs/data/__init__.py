"""Bugs in inputs and targets: how they are read, prepared, ordered and split."""
