"""Texts that are not cut into words: one after the other, or the rows of many files."""
