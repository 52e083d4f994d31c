"""Planners: paths with speeds from an obstacle map to a goal."""
