"""Labels and label sets: how they are given, compared, and decided from probabilities."""
