"""Healthy programs that generate samples."""
