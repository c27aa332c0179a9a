"""What recording, exporting and opening cost. Run with `python -m benchmarks`."""
