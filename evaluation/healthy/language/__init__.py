"""More healthy programs that read or write letters, words and strokes."""
