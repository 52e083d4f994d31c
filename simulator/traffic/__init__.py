"""Traffic: vehicles and pedestrians that follow the lanes of a road network."""
