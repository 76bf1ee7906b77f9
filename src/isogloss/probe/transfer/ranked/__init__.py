"""`probe rank-sources`: which language to train on for a target language."""
