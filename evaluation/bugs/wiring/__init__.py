"""More bugs in how the parts of a network are connected."""
