"""The version of Sixprime, where every room may read it."""

__version__ = "0.1.0"
