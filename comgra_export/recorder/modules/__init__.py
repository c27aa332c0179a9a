"""Tracked and watched modules, their calls, and the optimizers."""
