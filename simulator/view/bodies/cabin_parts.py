"""Parts of any cabin: place and hood of the gauges, seats, pedals, gear lever; in chassis axes B."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.view.bodies.contract import Lever, Pane
from simulator.view.meshes import Builder

FACE_TILT = 0.30
"""rad. Slope of the gauges, towards the driver's eye."""


def gauge_pane(eye: Any, wheel: Sequence[float], tilt: float, behind: float, half: tuple[float, float], over_hub: float = 0.102) -> Pane:
    """Return the place of the gauges, `behind` m in front of a steering wheel.

    wheel, tilt : center of the steering wheel, and slope of its axle [rad]
    over_hub : the eye sees the middle of the gauges this far above the center of the wheel, in its plane, between hub and rim [m]
    """
    through = np.array((wheel[0] + over_hub * math.sin(tilt), wheel[1], wheel[2] + over_hub * math.cos(tilt)))
    ray = through - np.array((eye[0], wheel[1], eye[2]))
    center = through + ray * (wheel[0] + behind - through[0]) / ray[0]
    up = np.array((math.sin(FACE_TILT), 0.0, math.cos(FACE_TILT)))
    return Pane(center, np.array((0.0, -1.0, 0.0)), up, half)


def gauge_hood(b: Builder, pane: Pane, front: float, back: float) -> Builder:
    """Add hood and back of the gauges, from `front` m before to `back` m behind them."""
    share = np.linspace(0.0, math.pi, 19)

    def edge(grow: float, out: float) -> Any:
        across = (pane.half[0] + grow) * np.sign(np.cos(share)) * np.abs(np.cos(share)) ** 0.45
        high = -pane.half[1] - 0.02 + (2.0 * pane.half[1] + 0.02 + grow) * np.sin(share) ** 0.45
        return pane.center + np.outer(across, pane.right) + np.outer(high, pane.up) + out * pane.normal

    b.sheet(np.stack((edge(0.024, -back), edge(0.024, front), edge(0.010, front + 0.006), edge(0.008, 0.0))), smooth=False)
    low = pane._replace(half=(pane.half[0] + 0.02, pane.half[1] + 0.02))
    return b.polygon(low.corners())


def add_seat(b: Builder, place: tuple[float, float, float], cloth: Sequence[int], metal: Sequence[int]) -> None:
    """Add a seat below a head at x = place[0], with the top of its cushion at place[2]."""
    x, y, z = place
    across = np.array((-0.26, -0.245, -0.19, -0.10, 0.0, 0.10, 0.19, 0.245, 0.26))
    bolster = np.array((-0.12, 0.02, 0.045, 0.005, 0.0, 0.005, 0.045, 0.02, -0.12))
    cushion = [(x - 0.16, z - 0.02), (x + 0.10, z - 0.005), (x + 0.32, z + 0.025), (x + 0.40, z), (x + 0.42, z - 0.10)]
    b.paint(cloth).sheet([np.column_stack((np.full(9, u), y + across, v + bolster)) for u, v in cushion][::-1], smooth=True)
    lean = np.array((-0.30, 0.0, 0.95))
    out = np.array((0.95, 0.0, 0.30))
    foot = np.array((x - 0.10, y, z - 0.06))
    rows = []
    for up, narrow in ((0.0, 0.94), (0.22, 1.0), (0.45, 0.96), (0.60, 0.82), (0.64, 0.74)):
        lift = -0.03 if up == 0.64 else 0.0
        rows.append(foot + up * lean + np.outer(narrow * across, (0.0, 1.0, 0.0)) + np.outer(bolster + lift, out))
    b.sheet(np.array(rows)[::-1], smooth=True)
    back = np.array(rows) - 0.11 * out
    back[:, :, :] = (
        foot
        - 0.11 * out
        + (np.array(rows) - foot) * (0.0, 0.98, 0.0)
        + np.array([up * lean for up in (0.0, 0.22, 0.45, 0.60, 0.64)])[:, None, :]
    )
    b.sheet(back)
    b.sheet(np.stack((rows[-1], back[-1])))
    top = foot + 0.70 * lean
    b.paint(metal, 0.5)
    for s in (-0.05, 0.05):
        b.tube([top + (0.0, s, -0.10), top + (0.0, s, 0.04)], 0.006, 6)
    b.paint(cloth)
    b.hexahedron(
        [
            top + a * out + (0.0, s * w, 0.0) + h * lean
            for h, w in ((-0.01, 0.13), (0.15, 0.115))
            for a, s in ((-0.09, -1), (0.02, -1), (0.02, 1), (-0.09, 1))
        ]
    )


def pedals(place: tuple[float, float, float], metal: Sequence[int], rubber: Sequence[int]) -> tuple[Lever, Lever]:
    """Return accelerator and brake pedal; `place` is the hinge of a pedal in front of the driver."""
    x, y, z = place
    out = []
    for moves_by, side, width, height in (("throttle", -0.16, 0.028, 0.065), ("brake", -0.03, 0.042, 0.035)):
        b = Builder().paint(metal, 0.2).tube([(0.0, 0.0, 0.0), (-0.02, 0.0, -0.20)], 0.009, 6)
        b.paint(rubber).box((-0.045, -width, -0.20 - height), (-0.02, width, -0.20 + height))
        out.append(Lever(b.mesh(), (x, y + side, z), moves_by))
    return out[0], out[1]


def add_gear_lever(hinge: tuple[float, float, float], boot: Sequence[int], metal: Sequence[int]) -> Lever:
    """Return the gear lever with its boot and knob."""
    b = Builder().paint(boot).revolve([(0.0, 0.055), (0.03, 0.035), (0.07, 0.012)], 14, axis=2)
    b.paint(metal, 0.5).tube([(0.0, 0.0, 0.04), (0.0, 0.0, 0.13)], 0.008, 8)
    b.paint(boot, 0.4).revolve([(0.11, 0.016), (0.13, 0.024), (0.155, 0.026), (0.175, 0.018), (0.18, 0.0)], 14, axis=2)
    return Lever(b.mesh(), hinge, "gear")
