"""Healthy programs that compare, embed, and read graphs."""
