"""Healthy programs that learn from rewards."""
