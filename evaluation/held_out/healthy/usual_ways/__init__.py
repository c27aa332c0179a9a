"""Healthy programs as most people write them, one for each kind of model."""
