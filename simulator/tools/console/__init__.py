"""Console of a finished run: `jounce console`."""
