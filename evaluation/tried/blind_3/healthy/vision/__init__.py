"""Healthy programs that see pictures."""
