"""Live inside PyTorch without being noticed: its private names, hooks, modes, dtypes, threads, and gaps."""
