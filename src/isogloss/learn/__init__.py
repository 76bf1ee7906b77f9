"""What the jobs that learn share: linear heads, splits, fine-tuned encoders, kept runs."""
