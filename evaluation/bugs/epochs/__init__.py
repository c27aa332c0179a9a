"""More bugs in the training loop: epochs, passes over the data, and what runs between them."""
