"""Which registered tensors were computed from which."""
