"""Live topics for Foxglove and Lichtblick, with scene, log and parameters, for the extra `foxglove`."""
