"""Adapters that run other tools in the same experiments."""
