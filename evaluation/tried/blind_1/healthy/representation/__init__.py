"""Healthy programs that learn embeddings, graphs and weights for other networks."""
