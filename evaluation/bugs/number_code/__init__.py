"""Bugs by which a value or a gradient becomes NaN or infinite in a definite step."""
