"""Maneuver files: phases, conditions, courses, metrics, plots and reports."""
