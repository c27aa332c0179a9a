"""Programs with something that looks odd and is right."""
