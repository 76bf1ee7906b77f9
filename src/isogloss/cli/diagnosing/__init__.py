"""What ``isogloss doctor`` looks at: software, machine, caches, models."""
