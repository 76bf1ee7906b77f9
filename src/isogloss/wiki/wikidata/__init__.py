"""Wikidata's JSON dumps as columns."""
