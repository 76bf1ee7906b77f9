"""Charts of what probes measured, for the report and for the pictures beside the tables."""
