"""Outlets: telemetry, motion stream, view, force feedback."""
