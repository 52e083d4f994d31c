"""Limiter of the platform motion."""
