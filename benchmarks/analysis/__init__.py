"""What judging a recording costs."""
