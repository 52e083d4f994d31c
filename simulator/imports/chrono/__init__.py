"""Wheeled vehicles of Project Chrono: its JSON files become a vehicle, a drivetrain and tires."""
