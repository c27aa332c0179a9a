"""Healthy programs for tables, curves and ratings."""
