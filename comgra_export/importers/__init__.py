"""Imports data of other tools as recordings, and writes recordings for those tools."""

# Files of other tools are hostile until they are checked, as recordings are.
