"""Compare a washout algorithm that only tilts the platform with the shipped algorithm, in a lane change with braking.

Writes 06_own_washout.png: the specific force on the rider, and the reference from the vehicle.
"""

import numpy as np
from matplotlib.figure import Figure

import jounce
from simulator.base.fields import Field, Number
from washout.contract import CONTRACT, LAYOUT, WashoutKind
from washout.kinds import register

PARAMETERS = (
    Field("force_gain", Number("1", 0.0, 1.0, shape=(3,)), "fraction of the vehicle's specific force: forward, left, up"),
    Field(
        "lag",
        Number("s", 0.01, 10.0),
        "time constant of each of two lags; a shorter lag follows the force more closely and rotates the rider faster",
    ),
)


class Tilt:
    """Tilt the platform back during acceleration and sideways in a turn, so that gravity replaces the specific force."""

    def __init__(self, parameters, context):
        self.gain, self.lag = parameters[0]["force_gain"][:2], float(parameters[0]["lag"])
        self.filtered, self.tilt = np.zeros(2), np.zeros(2)

    def step(self, inputs, h):
        s, weight = inputs[0], 1.0 - np.exp(-h / self.lag)
        if s["begins"]:  # start from a level platform at rest
            self.filtered, self.tilt = np.zeros(2), np.zeros(2)
        self.filtered = self.filtered + weight * (self.gain * s["f_H_B"][:2] / s["gravity"] - self.filtered)
        self.tilt = self.tilt + weight * (self.filtered - self.tilt)
        return [0.0, 0.0, 0.0, self.tilt[1], -self.tilt[0], 0.0]  # x, y, z, roll, pitch, yaw of the platform


register(WashoutKind("tilt_only", PARAMETERS, CONTRACT, LAYOUT, make=Tilt, rate=100.0))
CUEING = {"base": None, "force_gain": [0.4, 0.4, 0.5], "lag": 0.25}  # base: null replaces the shipped section
WASHOUTS = {"shipped": "small_hexapod", "tilt only": {"base": "small_hexapod", "type": "tilt_only", "cueing": CUEING}}

figure = Figure(figsize=(8.0, 6.0), layout="constrained")
rows = figure.subplots(2, 1, sharex=True)
for name, washout in WASHOUTS.items():
    log = jounce.simulate("avtp_lane_change", changes={"washout": washout}).log
    driven = log["time"] > 15.0  # the platform has completed its rise
    error = np.sqrt((log.field("cueing_force_error")[driven] ** 2).mean(axis=0))
    rate = 57.3 * np.abs(log.field("cab_w_NP_P")[driven, :2]).max()
    print(f"{name:<11} RMS force error {error[0]:.2f} m/s2 forward and {error[1]:.2f} m/s2 left, maximum rotation rate {rate:.1f} deg/s")
    for axes, axis in zip(rows, "xy", strict=True):
        axes.plot(log["time"][driven], log[f"cab_f_H_P_{axis}"][driven], label=name)
for axes, axis, direction in zip(rows, "xy", ("forward", "left"), strict=True):
    axes.plot(log["time"][driven], 0.4 * log[f"f_H_B_{axis}"][driven], "k:", label="0.4 x vehicle")
    axes.set(ylabel=f"specific force, {direction} [m/s2]")
    axes.grid(True, alpha=0.3)
rows[0].legend()
rows[1].set(xlabel="time [s]")
figure.savefig("06_own_washout.png", dpi=120)
