"""Check rules while a run is being recorded, if the user asks for it, and say at its end what was found."""
