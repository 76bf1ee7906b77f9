"""A knowledge base on disk: its manifest, its files, and the checks before they are read."""
