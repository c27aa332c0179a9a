"""Bugs in the course of training: optimizers, modes, rates and what is trained at all."""
