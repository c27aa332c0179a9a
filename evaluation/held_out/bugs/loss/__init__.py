"""Losses that do not measure what they should, and values that are not finite."""
