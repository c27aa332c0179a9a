"""The version of the package, in a module that every room can import."""

__version__ = "0.1.0"
