"""Electric drivetrain: motors by axle or by wheel, and their battery."""
