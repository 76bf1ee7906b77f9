"""How much of the language an encoder's vectors show, on parallel text, layer by layer."""
