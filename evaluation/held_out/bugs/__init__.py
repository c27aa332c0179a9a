"""Training programs with a known bug. Each can leave its bug out, and is then its own fixed twin."""
