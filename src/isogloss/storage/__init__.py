"""Files of our own: written whole or not at all, memory-mapped, checked before they are used."""
