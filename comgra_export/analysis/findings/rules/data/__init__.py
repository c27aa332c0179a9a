"""Rules about inputs and targets."""
