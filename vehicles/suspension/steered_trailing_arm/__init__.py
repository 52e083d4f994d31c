"""Trailing arms that carry a knuckle on a kingpin: steered by a tie rod, or held by one."""
