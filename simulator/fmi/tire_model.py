"""Model of the FMU of a tire: a tire on a rig, on hard ground."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simulator.configuration.file_lookup import data_folder
from simulator.fmi.content import configuration_of
from simulator.fmi.variables import INPUT, INTEGER, OUTPUT, PARAMETER, Variable
from vehicles.tires.standstill import SPIN_FADE, V_SHOW, smooth_sign
from vehicles.tires.steady_state import CONDITION, roll_on, tire_rig, touch_rig
from vehicles.tires.tire_file import tire

FASTEST = 500.0
"""m/s and rad/s. Range of speeds and spins."""
OUTPUTS = (
    Variable("F_x", OUTPUT, "N", "force of the ground on the tire along its heading"),
    Variable("F_y", OUTPUT, "N", "force of the ground on the tire to the left of its heading"),
    Variable("M_x", OUTPUT, "N m", "overturning moment of the tire model about the contact point"),
    Variable("M_y", OUTPUT, "N m", "moment of rolling resistance; negative when rolling forward"),
    Variable("M_z", OUTPUT, "N m", "moment about the ground normal at the contact point"),
    Variable("slip_ratio", OUTPUT, "1", "longitudinal slip, + = driving"),
    Variable("slip_angle", OUTPUT, "rad", "slip angle, + = sliding to the left"),
    Variable("effective_radius", OUTPUT, "m", "distance per radian of a freely rolling wheel"),
    Variable("deflection", OUTPUT, "m", "radial deflection of the tire under the load"),
)


class TireModel:
    """Tire whose tread has a state: forces build up over the distance that it rolls.

    Parameters
    ----------
    content : "configuration" with the content of a tire file, "step" [s]
    folder : folder of the files that the tire names

    Raises ConfigError: the tire cannot be used.
    """

    def __init__(self, content: dict[str, Any], folder: Path) -> None:
        with configuration_of(content, folder).reading("vehicle.tires") as (values, label):
            self._tire = tire(values, label, folders=[data_folder("assets")])
        self.step: float = content["step"]
        p = self._tire.shared[0]
        most, friction = float(p["load_max"]), float(p["friction"])
        self.variables: Sequence[Variable] = (
            Variable("load", INPUT, "N", "load along the ground normal; the tire model has at most load_max of its file", 0.0, 0.0, most),
            Variable("v_x", INPUT, "m/s", "velocity of the contact point along the heading, without spin", 0.0, -FASTEST, FASTEST),
            Variable("v_y", INPUT, "m/s", "velocity of the contact point to the left of the heading", 0.0, -FASTEST, FASTEST),
            Variable("spin", INPUT, "rad/s", "spin of the wheel, + = rolling forward", 0.0, -FASTEST, FASTEST),
            Variable("camber", INPUT, "rad", "inclination of the wheel to the ground normal, + = top to the right", 0.0, -1.0, 1.0),
            Variable("turn_rate", INPUT, "rad/s", "rate of the wheel about the ground normal", 0.0, -FASTEST, FASTEST),
            Variable("friction", INPUT, "1", "coefficient of friction of the ground", friction, 0.0, 10.0),
            Variable("side", PARAMETER, "1", "side of the vehicle: 1 left, -1 right, for an asymmetric tire", 1, -1, 1, INTEGER),
            *OUTPUTS,
        )

    def begin(self, values: dict[str, float]) -> None:
        """Put a tire with an untouched tread on the ground."""
        self._tires, self._rig = tire_rig(self._tire, 1 if values["side"] >= 0.0 else -1)
        touch_rig(self._rig, _condition(values))
        self._seen = (0.0, 0.0)

    def advance(self, inputs: dict[str, float], ticks: int) -> None:
        """Roll a number of ticks."""
        roll_on(self._rig, _condition(inputs), inputs["spin"], inputs["turn_rate"], self.step, ticks)
        v_x, v_y = inputs["v_x"], inputs["v_y"]
        tread = inputs["spin"] * float(self._rig.seen[0]["effective_radius"])
        ratio = (tread - v_x) / max(abs(tread), abs(v_x), V_SHOW)
        self._seen = ratio, math.atan2(v_y, max(abs(v_x), V_SHOW))

    def outputs(self) -> Sequence[float]:
        """Return forces, moments and slips."""
        r, k, p = self._rig.result[0], self._rig.seen[0], self._tire.shared[0]
        rolling = float(p["rolling_resistance"] * p["radius"] * k["load"]) * smooth_sign(float(k["spin"]) / SPIN_FADE)
        forces = (r["F"][0], r["F"][1], r["M_x"], r["M_y"] - rolling, r["M_z"])
        return [*map(float, forces), *self._seen, float(k["effective_radius"]), float(self._rig.out[0]["tire_deflection"])]

    def close(self) -> None:
        """Do nothing."""


def _condition(values: dict[str, float]) -> Any:
    """Return the CONDITION of the rig; the speed of the tread is replaced by a spin."""
    return np.array([values.get(name, 0.0) for name in CONDITION])
