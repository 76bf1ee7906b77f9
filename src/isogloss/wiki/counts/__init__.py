"""How often names are links and what they link to, over a whole dump."""
