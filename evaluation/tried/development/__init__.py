"""Programs with which the rules were developed."""
