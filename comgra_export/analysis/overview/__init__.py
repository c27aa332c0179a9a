"""How a run went: how long, how it ended, with which settings, and what was unusual."""
