"""Bugs in the procedure of training: what a step does, its optimizer and settings, and the mode of the model."""
