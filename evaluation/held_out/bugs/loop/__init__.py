"""Bugs in the training loop: what a step does, and in which order and mode."""
