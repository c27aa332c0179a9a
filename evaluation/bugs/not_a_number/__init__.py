"""Bugs in numbers: logarithms, divisions and powers that are NaN or infinite."""
