"""Text as the recording format wants it: names, paths and JSON."""
