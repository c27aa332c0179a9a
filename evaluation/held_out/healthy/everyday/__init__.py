"""Programs as they are written every day."""
