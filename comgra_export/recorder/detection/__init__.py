"""Detect training steps in a script that does not say where they begin."""
