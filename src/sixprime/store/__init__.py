"""Matches and their statistics in a database."""
