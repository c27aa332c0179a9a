"""Healthy programs that no rule was tried on."""
