"""Bugs of the last layer, and of the loss that is put on it."""
