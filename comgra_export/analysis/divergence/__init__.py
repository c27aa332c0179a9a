"""Where two runs begin to differ: pure functions on the statistics of their steps."""
