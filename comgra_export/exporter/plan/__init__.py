"""What goes into a bundle, before any number is read."""
