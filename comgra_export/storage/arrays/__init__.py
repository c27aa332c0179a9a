"""The arrays of a step: which there are, and how they lie in a file."""
