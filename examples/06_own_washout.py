"""A washout of one's own, which only leans the rider, against the shipped one: what is felt of a lane change and of the braking after it.

Writes 06_own_washout.png: the forces that the rider feels, and those he should feel.
"""

import numpy as np
from matplotlib.figure import Figure

import simulator as jounce
from washout.contract import CONTRACT, LAYOUT, WashoutKind
from washout.kinds import register

PARAMETERS = (
    # name         shape  unit  what it is
    ("force_gain", (3,), "1", "share of the force to be felt: ahead, to the left, up"),
    ("lag", (), "s", "time constant of each of two lags; the shorter, the closer to the force, and the faster the rider is turned"),
)


class Lean:
    """Leans the rider back when the vehicle accelerates and to the side in a bend, so that gravity pulls as the force would."""

    def __init__(self, parameters, world):
        self.gain, self.lag = parameters[0]["force_gain"][:2], float(parameters[0]["lag"])
        self.between, self.tilt = np.zeros(2), np.zeros(2)

    def step(self, seen, h):
        s, share = seen[0], 1.0 - np.exp(-h / self.lag)
        if s["begins"]:  # from a level platform that stands still
            self.between, self.tilt = np.zeros(2), np.zeros(2)
        self.between = self.between + share * (self.gain * s["f_H_B"][:2] / s["gravity"] - self.between)
        self.tilt = self.tilt + share * (self.between - self.tilt)
        return [0.0, 0.0, 0.0, self.tilt[1], -self.tilt[0], 0.0]  # x, y, z, roll, pitch, yaw of the platform


register(WashoutKind("lean", PARAMETERS, {"force_gain": (0.0, 1.0), "lag": (0.01, 10.0)}, CONTRACT, LAYOUT, make=Lean, rate=100.0))
CUEING = {"base": None, "force_gain": [0.4, 0.4, 0.5], "lag": 0.25}  # base: this instead of the shipped section
WASHOUTS = {"shipped": "small_hexapod", "lean alone": {"base": "small_hexapod", "type": "lean", "cueing": CUEING}}

figure = Figure(figsize=(8.0, 6.0), layout="constrained")
rows = figure.subplots(2, 1, sharex=True)
for name, washout in WASHOUTS.items():
    log = jounce.simulate("avtp_lane_change", changes={"washout": washout}).log
    driven = log["time"] > 15.0  # the platform has risen long before
    missing = np.sqrt((log.field("cueing_force_error")[driven] ** 2).mean(axis=0))
    turned = 57.3 * np.abs(log.field("cab_w_NP_P")[driven, :2]).max()
    print(
        f"{name:<11} force felt is off by {missing[0]:.2f} m/s2 ahead and {missing[1]:.2f} to the left, rider turned by up to {turned:.1f} deg/s"
    )
    for axes, axis in zip(rows, "xy", strict=True):
        axes.plot(log["time"][driven], log[f"cab_f_H_P_{axis}"][driven], label=name)
for axes, axis, words in zip(rows, "xy", ("ahead", "to the left"), strict=True):
    axes.plot(log["time"][driven], 0.4 * log[f"f_H_B_{axis}"][driven], "k:", label="0.4 of the vehicle's")
    axes.set(ylabel=f"force {words} [m/s2]")
    axes.grid(True, alpha=0.3)
rows[0].legend()
rows[1].set(xlabel="time [s]")
figure.savefig("06_own_washout.png", dpi=120)
