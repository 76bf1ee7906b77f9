"""Intervals, tests and calibration: called by everything that reports a score."""
