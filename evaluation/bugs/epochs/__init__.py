"""Bugs in the training loop: optimizers, modes, what belongs to which step."""
