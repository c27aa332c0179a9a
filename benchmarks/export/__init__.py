"""What judging a recording and building its page cost."""
