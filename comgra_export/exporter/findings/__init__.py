"""What is wrong in the trials of a bundle, as the bundle holds it."""
