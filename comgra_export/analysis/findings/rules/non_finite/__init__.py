"""The rule about values that are NaN or infinite: where the first one comes from."""
