"""Pairs for training: mined from texts of two languages, and filtered."""
