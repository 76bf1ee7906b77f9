"""The weight files of an encoder: which they are, what they hold, those in 8 bits."""
