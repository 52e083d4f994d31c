"""Control units of the vehicle: what measures by its own sensors, at its own rate, and works the valves of the brakes and the throttle."""
