"""Outlets of a session: telemetry, motion stream, view, force feedback, rut file, plugins."""
