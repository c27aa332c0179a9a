"""Write finished steps to disk, in a thread of its own."""
