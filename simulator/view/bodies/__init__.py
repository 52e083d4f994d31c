"""Bodies of vehicles for the window."""
