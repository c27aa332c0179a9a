"""Healthy programs: each finding on one is a false alarm."""
