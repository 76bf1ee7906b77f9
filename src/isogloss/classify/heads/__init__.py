"""The classifiers on top of vectors: linear, `mboe` and `mboe-plus`, seen as one kind."""
