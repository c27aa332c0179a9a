"""Healthy programs that learn embeddings."""
