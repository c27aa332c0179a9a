"""The cheap check of every step, and the steps that it triggers."""
