"""Pickles of numbers: a reader that allows numpy's arrays and plain data only, and a writer."""
