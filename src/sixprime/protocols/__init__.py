"""Protocols by which other programs ask Sixprime."""
