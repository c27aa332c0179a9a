"""Check rules while a run is being recorded, and say at its end what was found. Loaded only if asked for."""
