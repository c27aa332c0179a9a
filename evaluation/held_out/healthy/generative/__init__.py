"""Healthy programs that learn distributions."""
