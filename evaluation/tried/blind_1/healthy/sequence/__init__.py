"""Healthy programs that read or continue sequences."""
