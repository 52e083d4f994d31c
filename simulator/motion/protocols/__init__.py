"""Protocols of the motion stream."""
