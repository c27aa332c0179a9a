"""What is wrong in a run, where, and since when."""
