"""Rows of a file written back with more columns: opened, their columns surveyed, written."""
