"""As docs/own_washout.md of commit 802fdee has it."""

from washout.contract import CONTRACT, LAYOUT, WashoutKind
from washout.kinds import register

PARAMETERS = (
    # name     shape  unit  what it is
    ("tilt", (2,), "rad/(m/s2)", "pitch per specific force ahead, roll per specific force to the left"),
    ("lag", (), "s", "time constant"),
)


class Tilt:
    def __init__(self, parameters, world):  # world: platform (HEXAPOD record), gravity, period
        self.p, self.roll, self.pitch = parameters[0], 0.0, 0.0

    def step(self, seen, h):
        s, share = seen[0], min(1.0, h / float(self.p["lag"]))
        if s["begins"]:
            self.roll = self.pitch = 0.0
        self.pitch += share * (-self.p["tilt"][0] * s["f_H_B"][0] - self.pitch)
        self.roll += share * (self.p["tilt"][1] * s["f_H_B"][1] - self.roll)
        return [0.0, 0.0, 0.0, self.roll, self.pitch, 0.0]


RANGES = {"tilt": (0.0, 0.1), "lag": (0.01, 10.0)}
register(WashoutKind("tilt", PARAMETERS, RANGES, CONTRACT, LAYOUT, make=Tilt, rate=100.0))
