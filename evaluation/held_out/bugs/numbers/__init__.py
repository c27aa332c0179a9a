"""Values that are not finite, each from a step that is known."""
