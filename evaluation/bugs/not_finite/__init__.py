"""Bugs that end in NaN or infinity at a known step."""
