"""Bugs by which a number, or a gradient, is NaN or infinite."""
