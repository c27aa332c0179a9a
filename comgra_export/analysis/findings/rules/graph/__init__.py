"""Exact rules about how the network and its loss are put together."""
