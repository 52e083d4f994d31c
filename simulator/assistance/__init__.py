"""Driver assistance: emergency braking, adaptive cruise control, speed limiter and lane keeping, between the driver and the vehicle."""
