"""Bugs in optimizers and in schedules of their rates."""
