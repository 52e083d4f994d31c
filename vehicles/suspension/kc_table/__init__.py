"""Axle whose kinematics is a measured or computed table (K&C data): toe, camber and position of the wheel over travel and steering."""
