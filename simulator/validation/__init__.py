"""Validation: comparison with other programs, closed forms and published values, and the list of properties that are not validated."""
