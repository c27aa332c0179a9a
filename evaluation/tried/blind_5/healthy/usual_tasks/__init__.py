"""Healthy programs of common tasks: images, texts, series and tables."""
