"""More bugs in the training loop, optimizers and weights."""
