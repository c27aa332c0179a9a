"""The classes of the model to JSON, and checked JSON back to them."""
