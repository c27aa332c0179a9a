"""Bugs that leave units dead, saturated or without differences."""
