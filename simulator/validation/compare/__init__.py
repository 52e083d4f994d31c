"""`jounce compare`: runs and other programs' data over each other, with bands and verdicts; and a table of vehicles and maneuvers."""
