"""Bugs in what is minimized: losses and the layer before them."""
