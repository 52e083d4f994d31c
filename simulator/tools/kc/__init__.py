"""`jounce kc`: kinematics-and-compliance test of the axles of a vehicle."""
