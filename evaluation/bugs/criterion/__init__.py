"""More bugs in loss functions."""
