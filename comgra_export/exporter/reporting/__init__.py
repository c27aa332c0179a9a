"""What an export says while it runs: its progress, and the problems that it met."""
