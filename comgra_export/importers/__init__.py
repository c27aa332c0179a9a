"""Data of other tools into recordings, and back.

What other tools write is hostile until it is checked, as recordings are.
"""
