"""More bugs in how a network is put together."""
