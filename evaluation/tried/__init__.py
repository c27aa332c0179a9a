"""Programs that rules were tried on, by the set in which they were written."""
