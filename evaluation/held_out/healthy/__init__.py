"""Training programs in which nothing is wrong."""
