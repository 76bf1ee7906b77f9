"""Wikitext to plain text and links in one compiled pass."""
