"""Rigid axles: one beam with both wheels on four rods, with rise and roll as degrees of freedom.

The kinds of axles differ in their rods.
"""
