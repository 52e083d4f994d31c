"""Command `jounce compare`: overlaid runs and data of other programs with tolerance bands and verdicts; tables of vehicles and
maneuvers."""
