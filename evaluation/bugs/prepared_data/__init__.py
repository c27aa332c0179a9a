"""Bugs in how data is read, prepared and split before it reaches the network."""
