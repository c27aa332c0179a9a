"""Programs with a bug that no rule was tried on."""
