"""Learn from unlabelled texts how a language's vectors are shifted, and move them back."""
