"""Gradients and updates that are too large, too small or missing."""
