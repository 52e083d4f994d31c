"""Files of other programs as terrains, vehicles, paths: `jounce import`."""
