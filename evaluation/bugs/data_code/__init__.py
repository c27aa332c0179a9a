"""Bugs in the data: how it is prepared, labelled, ordered and split."""
