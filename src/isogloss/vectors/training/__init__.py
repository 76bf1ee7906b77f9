"""Skip-gram training of words and entities: compiled loops, schedule, checkpoints."""
