"""More healthy programs that see pictures."""
