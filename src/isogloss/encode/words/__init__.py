"""Vectors of words: sentences that are already cut into words, their tokens, layers and windows."""
