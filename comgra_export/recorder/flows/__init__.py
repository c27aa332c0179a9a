"""Exact gradient flows between layers."""
