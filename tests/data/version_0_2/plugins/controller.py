"""As docs/own_controller.md of commit 802fdee has it."""

from simulator.base.outside import outside, record_at
from simulator.base.records import dtype_of
from vehicles.controllers.contract import CONTRACT, LAYOUT, RESULT, SEEN, ControllerKind
from vehicles.controllers.kinds import register

MINE = (
    ("wheel_radius", (), "m", "of the rolling tire"),
    ("speed", (), "m/s", "not to be exceeded"),
    ("band", (), "m/s", "in which the throttle closes"),
)
STATE = (("fastest", (), "m/s", "highest speed seen"),)
P, S, I, O = dtype_of(MINE), dtype_of(STATE), dtype_of(SEEN), dtype_of(RESULT)


@outside
def limit_speed(parameters, state, seen, result, first, count, h):
    p, s, k, asked = record_at(parameters, P)[0], record_at(state, S)[0], record_at(seen, I)[0], record_at(result, O)[0]
    speed = 0.0
    for i in range(count):
        speed += p["wheel_radius"] * k["wheel_speed"][i] / count
    s["fastest"] = max(s["fastest"], speed)
    asked["throttle_limit"] = min(1.0, max(0.0, (p["speed"] - speed) / p["band"]))


RANGES = {"wheel_radius": (0.1, 2.0), "speed": (1.0, 100.0), "band": (0.1, 10.0)}
register(ControllerKind("speed_limiter", MINE, RANGES, STATE, limit_speed, CONTRACT, LAYOUT, rate=50.0, defaults={"band": 1.0}))
