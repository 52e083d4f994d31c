"""Rigid axles: one beam with both wheels, held by four rods, so that it rises and rolls; kinds of axles differ in what their rods are."""
