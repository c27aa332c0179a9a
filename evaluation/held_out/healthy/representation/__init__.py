"""Healthy programs that learn representations, graphs and tasks."""
