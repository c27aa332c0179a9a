"""See gradients while they flow, without altering them."""
