"""Readers of files: documents of users with their labels and languages, and the demo's data."""
