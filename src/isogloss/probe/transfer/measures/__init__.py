"""What may explain transfer, measured of two languages: pure functions, each with its citation."""
