"""A corpus in many files: each becomes one Parquet part, whole or not at all, and never twice."""
