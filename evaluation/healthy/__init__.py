"""Healthy training programs of many kinds: nothing is to be found in them."""
