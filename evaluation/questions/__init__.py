"""Experiments on three questions that were left open when comgra was published. `docs/open-questions.md` has the results."""
