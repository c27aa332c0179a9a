"""Bugs in the samples: how they were read, scaled, labeled and cut into batches."""
