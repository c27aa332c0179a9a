"""How long the page takes."""
