"""Limiter of the platform's motion."""
