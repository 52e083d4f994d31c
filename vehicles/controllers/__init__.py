"""Control units of the vehicle: they read their own sensors at their own rate and operate brake valves, throttle and actuators."""
