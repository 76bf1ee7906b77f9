"""From training data to a fitted classifier: checks, heads, thresholds, calibration."""
