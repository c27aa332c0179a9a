"""Times of the page in a browser."""
