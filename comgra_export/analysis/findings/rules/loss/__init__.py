"""Rules about the loss over time."""
