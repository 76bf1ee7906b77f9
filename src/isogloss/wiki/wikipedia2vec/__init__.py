"""Entities and pages counted as the program Wikipedia2Vec counts them."""
