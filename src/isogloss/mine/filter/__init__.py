"""Filters of sentence pairs and of monolingual text: rules, scores, thresholds."""
