"""Rules about gradients and the size of updates."""
