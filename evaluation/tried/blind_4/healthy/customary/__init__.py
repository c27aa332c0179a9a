"""Programs of several fields, each with a loss or a loop that is customary there."""
