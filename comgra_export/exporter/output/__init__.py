"""Write the bundle: a file, a folder or a zip, and the page in it."""
