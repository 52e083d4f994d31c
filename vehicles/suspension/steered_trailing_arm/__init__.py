"""Trailing arms with a knuckle on a kingpin, whose angle a tie rod steers or fixes."""
