"""What goes together in a run: categories, statistics of samples and of steps, and the loss."""
