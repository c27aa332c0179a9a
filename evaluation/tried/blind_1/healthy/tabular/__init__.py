"""Healthy programs that map rows of numbers to a value or a class."""
