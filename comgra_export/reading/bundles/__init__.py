"""Reads bundles, as `docs/bundle-format.md` specifies them, with distrust."""
