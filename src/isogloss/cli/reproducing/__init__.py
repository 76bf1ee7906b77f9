"""Measuring a paper again: the command, and how it is shown."""
