"""The commands that print what was recorded, of recordings and of bundles."""
