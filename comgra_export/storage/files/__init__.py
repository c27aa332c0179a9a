"""Whole files, growing files, and the lock."""
