"""What probes measured, as one HTML page."""
