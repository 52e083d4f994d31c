"""The validation suite."""
