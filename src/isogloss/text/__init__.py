"""Languages, scripts and the folding of characters: what other layers ask of text."""
