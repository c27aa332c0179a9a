"""What is found out about the values of a step besides their statistics, while they are still at hand."""
