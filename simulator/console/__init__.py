"""Operator's console: a process of its own that shows a drive in a browser and passes the operator's actions to the drive."""

PORT = 8770
"""Default port of a console."""
