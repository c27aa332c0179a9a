"""Losses that do not measure what they should."""
