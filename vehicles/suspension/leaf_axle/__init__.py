"""Rigid axles on leaf springs, which guide them too."""
