"""Equations of motion of a mechanism, five ways."""
