"""One recorded training step, put together from the packages below."""
