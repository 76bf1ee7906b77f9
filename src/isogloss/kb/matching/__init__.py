"""Find names in text: the compiled table of names, endings, and what is never a name."""
