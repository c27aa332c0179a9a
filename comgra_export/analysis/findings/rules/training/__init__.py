"""Rules about the training loop: optimizers, updates, modes."""
