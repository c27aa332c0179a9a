"""How large a bundle will be, and what to leave out so that it fits."""
