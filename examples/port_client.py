"""Drive over the network in lock step: `jounce serve --port 42500`, then `python port_client.py 127.0.0.1 42500` (docs/port.md)."""

import sys

import jounce

with jounce.Client(":".join(sys.argv[1:])) as car:
    count = 0
    while car.state.time < 5.0:  # accelerate for five seconds
        before, state = car.state.time, car.step(throttle=0.5)
        count += 1
        for name in car.sensors:  # with --state 'NAME.*'
            if car[name].delivered > before:
                shapes = ", ".join(f"{array} {values.shape}" for array, values in car[name].items())
                print(f"{state.time:.2f} s, {name} at {car[name].time:.2f} s: {shapes}")
print(f"{state['v_WB_B_x']:.2f} m/s after {count} commands")
