"""Rules about the values of tensors: not finite, dead, saturated, collapsed, growing."""
