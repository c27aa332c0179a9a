"""Programs that no rule was tried on: their truth was written down before any rule had seen them."""
