"""Calibration, and the accuracy to expect in a language without labels."""
