"""Programs of the kinds that tutorials and courses teach, each with its usual settings."""
