"""From the values of tensors to the numbers that are recorded of them."""
