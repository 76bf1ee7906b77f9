"""Text for training vectors: pages, vocabulary, detected names and the link graph, as arrays."""
