"""Healthy programs that look odd: noise, few samples, negative losses, frozen and shared parts."""
