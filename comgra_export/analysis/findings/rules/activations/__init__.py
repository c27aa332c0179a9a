"""Rules about the values of tensors: dead, saturated, collapsed, growing."""
