"""Other tools, so that they fit the same experiments."""
