"""Maneuvers: what is driven, where the cones stand, how it is judged, and the report."""
