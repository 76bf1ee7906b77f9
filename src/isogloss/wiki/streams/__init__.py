"""Compressed dumps as streams of blocks, also damaged or piped ones."""
