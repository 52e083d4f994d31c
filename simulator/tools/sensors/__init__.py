"""Command `jounce sensors`: list, pictures and export of the sensor data of a run."""
