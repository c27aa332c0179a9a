"""Healthy programs of other kinds of learning: generative, adversarial, contrastive, acting, graphs and sets."""
