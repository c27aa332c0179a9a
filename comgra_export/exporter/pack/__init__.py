"""Turn a plan into the chunks of a bundle."""
