"""Nearest neighbours of vectors: by cosine, and corrected for hubs."""
