"""Conventional drivetrain: engine, converter or clutch, gearbox, driveline."""
