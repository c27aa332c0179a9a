"""Healthy programs that learn to act."""
