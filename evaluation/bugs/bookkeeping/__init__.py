"""More bugs in the training loop: what is cleared, averaged, held and validated when."""
