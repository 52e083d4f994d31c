"""`jounce kc`: the kinematics-and-compliance test of a vehicle's axles."""
