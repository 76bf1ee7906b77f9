"""Scores by language, explanations of single answers, and the report."""
