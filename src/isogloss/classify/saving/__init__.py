"""A classifier as a directory: manifest, arrays, and the encoder where it was fine-tuned."""
