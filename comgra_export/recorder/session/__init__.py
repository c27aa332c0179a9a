"""The recorder that a script calls: the order of its calls, and the schedule."""
