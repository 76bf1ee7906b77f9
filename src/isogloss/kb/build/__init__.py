"""Build a knowledge base: sources, their names and counts, compiled for the linker."""
