"""Healthy programs for images."""
