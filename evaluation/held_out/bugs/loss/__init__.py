"""Losses that do not measure what they should, and the layers before them."""
