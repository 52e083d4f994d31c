"""Faults of a session: what fails, when, and how a fault changes the numbers of the models."""
