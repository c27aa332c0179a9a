"""Estimate gradient flows from the gradients of a recording."""
