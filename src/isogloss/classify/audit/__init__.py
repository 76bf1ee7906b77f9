"""Audits: rows of each language that a human labels, and the accuracy that they show."""
