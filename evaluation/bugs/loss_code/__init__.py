"""Bugs in what the loss gets and how it is put together."""
