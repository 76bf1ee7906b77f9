"""Each training set on each test set: what taggers got right, and means over pairs of languages."""
