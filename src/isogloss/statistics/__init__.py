"""Intervals and what they stand on: the ground floor of everything that reports a score."""
