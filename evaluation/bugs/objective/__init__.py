"""More losses that do not measure what they should, and values in them that are not finite."""
