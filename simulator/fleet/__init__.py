"""Many vehicles that do not meet, stepped by one kernel."""
