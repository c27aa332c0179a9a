"""Healthy programs for sequences."""
