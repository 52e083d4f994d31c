"""Two cars from published data, docs/new_car.md: do they match their sources, and does the multilink axle move as its rod lengths require?"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.builder.builder import build_ground, build_vehicle, data_folder
from simulator.tools.kc.rig import Rig
from tests.end_to_end.program import call

CONFIGS = data_folder("configs")
MULTILINK = CONFIGS / "mechanisms" / "sedan_multilink.yaml"
UPPER_F, UPPER_B = np.array([0.060, 0.397, 0.082]), np.array([-0.157, 0.358, 0.062])
"""Bushes of the upper arm as the source has them; the file knows its axis alone."""


def drawn() -> dict[str, Any]:
    """The file, without the program's reader."""
    return dict(yaml.safe_load(MULTILINK.read_text(encoding="utf-8")))


def turned(vector: Vector, axis: Vector, angle: float) -> Vector:
    """Rodrigues' formula, axis of any length."""
    u = axis / np.linalg.norm(axis)
    return np.asarray(vector * math.cos(angle) + np.cross(u, vector) * math.sin(angle) + u * (u @ vector) * (1.0 - math.cos(angle)))


def matrix(phi: Vector) -> Vector:
    angle = float(np.linalg.norm(phi))
    return np.stack([turned(e, phi, angle) if angle else e for e in np.eye(3)], axis=1)


@cache
def rig_of(name: str) -> Rig:
    return Rig(build_vehicle(name), build_ground("flat").arrays)


class FourLengths:
    """The knuckle of the multilink axle from lengths: its upper joint stays as far from both bushes of its arm, three others from the ends of their links.

    Newton's method with differences for six unknowns, from the position before: nothing of the general engine, which has joints and angles.
    """

    def __init__(self) -> None:
        d = drawn()
        joints, loops = d["joints"], d["loops"]
        self.upper = np.array(joints["upper ball"]["point"])
        self.outer = np.array([loops["lateral ball"]["point"], loops["trailing ball"]["point"], loops["tie rod"]["successor"]["point"]])
        self.inner = np.array([joints["lateral link"]["point"], joints["trailing link"]["point"], loops["tie rod"]["predecessor"]["point"]])
        self.wheel = np.array(d["bodies"]["wheel"]["com"])
        coil = d["springs"]["coil"]
        self.coil = np.array(coil["from"]["point"]), np.array(coil["to"]["point"])
        axis, link_axis = (np.array(a, float) for a in joints["trailing link"]["axes"])
        self.axes = axis / np.linalg.norm(axis), link_axis / np.linalg.norm(link_axis)

    def at(self, angle: float) -> tuple[Vector, Vector]:
        """Rotation (3, 3) of the knuckle and place of its upper joint, with the arm turned by `angle` about its hinge from the back to the front."""
        upper = UPPER_F + turned(self.upper - UPPER_F, UPPER_F - UPPER_B, angle)
        R = np.eye(3)

        def gaps(turn: Vector) -> Vector:
            ends = upper + (self.outer - self.upper) @ (matrix(turn) @ R).T
            return np.asarray(np.linalg.norm(ends - self.inner, axis=1) - np.linalg.norm(self.outer - self.inner, axis=1))

        for share in np.linspace(0.1, 1.0, 10):
            upper = UPPER_F + turned(self.upper - UPPER_F, UPPER_F - UPPER_B, share * angle)
            for _ in range(12):
                slopes = np.stack([(gaps(1e-6 * e) - gaps(-1e-6 * e)) / 2e-6 for e in np.eye(3)], axis=1)
                R = matrix(np.linalg.solve(slopes, -gaps(np.zeros(3)))) @ R
        assert np.abs(gaps(np.zeros(3))).max() < 1e-15
        return R, upper

    def coil_length(self, trailing_end: Vector) -> float:
        """Length of the spring, whose lower end the trailing link carries: its universal joint keeps the link's second axis across the first one."""
        first, second = self.axes
        old, new = self.outer[1] - self.inner[1], trailing_end - self.inner[1]
        # second axis of the turned link: across `first`, as long as it is, as much along the link as in the drawing; that near the drawn one
        along = float(second @ old)
        x = np.cross(first, [0.0, 0.0, 1.0]) / np.linalg.norm(np.cross(first, [0.0, 0.0, 1.0]))
        y = np.cross(x, first)
        a, b = float(x @ new), float(y @ new)
        turns = [math.atan2(b, a) + sign * math.acos(along / math.hypot(a, b)) for sign in (-1.0, 1.0)]
        across = max((math.cos(t) * x + math.sin(t) * y for t in turns), key=lambda v: float(v @ second))
        before, after = (np.stack([link, axis, np.cross(link, axis)], axis=1) for link, axis in ((old, second), (new, across)))
        lower = self.inner[1] + after @ np.linalg.solve(before, self.coil[1] - self.inner[1])
        return float(np.linalg.norm(lower - self.coil[0]))


def quaternion(R: Vector) -> Vector:
    """(w, x, y, z) with w > 0 of a rotation by less than a right angle."""
    w = 0.5 * math.sqrt(1.0 + np.trace(R))
    return np.array([w, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4.0 * w))])


def test_the_multilink_axle_moves_as_its_lengths_have_it(capsys: pytest.CaptureFixture[str]) -> None:
    """From 100 mm of rebound to 90 mm of bump: the general engine's joints against lengths alone; the same wheel and spring in the car, from its tables."""
    code, out, _ = call(capsys, "mechanism", MULTILINK, "--sweep", "upper arm=-0.3:0.25:12", "--json")
    assert code == 0
    positions, four = json.loads(out)["positions"], FourLengths()
    arm_axis = np.array(drawn()["joints"]["upper arm"]["axis"], float)
    for k, angle in enumerate(positions["upper arm"]):
        R, _ = four.at(angle)
        on_arm = matrix(arm_axis / np.linalg.norm(arm_axis) * angle).T @ R
        found = [positions[f"upper ball.{name}"][k] for name in ("qw", "qx", "qy", "qz")]
        assert np.array(found) == pytest.approx(quaternion(on_arm), abs=1e-12)

    rig = rig_of("sedan_chrono")
    raised = np.array([-1.388, 0.0, 0.125])
    for angle in (-0.1, 0.0, 0.1):
        R, upper = four.at(angle)
        place = rig.at(1, np.full(2, angle), 0.0)
        wheel = upper + R @ (four.wheel - four.upper)
        assert rig.R.T @ place.wheels[0].center - raised == pytest.approx(wheel, abs=2e-6)
        assert place.wheels[0].spring_length == pytest.approx(four.coil_length(upper + R @ (four.outer[1] - four.upper)), abs=2e-6)


@pytest.mark.parametrize(
    ("name", "loads", "coils", "inclination", "caster"),
    [
        # the source's own figures of the whole car and of its design position: loads [N], lengths of the springs [m], kingpin [deg]
        ("sedan_chrono", (4031.4, 4200.6), (0.511468474, 0.2833020), 10.008, 5.377),
        # of its 1802.3 kg the tie rods in front and the bars, 22.3 kg, have no body here; the 0.6 mm of the top that the center of mass is off the middle neither
        ("sedan_e90", (4330.5, 4510.0), (0.482914056, 0.275364585), 12.017, 11.041),
    ],
)
def test_the_cars_are_what_their_source_says(
    name: str, loads: tuple[float, float], coils: tuple[float, float], inclination: float, caster: float
) -> None:
    rig = rig_of(name)
    for n, (load, coil) in enumerate(zip(loads, coils, strict=True)):
        assert np.mean([wheel.load for wheel in rig.standing[n].wheels]) == pytest.approx(load, rel=1.5e-2 if name == "sedan_e90" else 1e-3)
        assert rig.at(n, np.zeros(2), 0.0).wheels[0].spring_length == pytest.approx(coil, abs=1e-6)
    kingpin = rig.R.T @ rig.kingpin(rig.at(0, np.zeros(2), 0.0))[0][0]
    found = math.degrees(math.atan2(-kingpin[1], kingpin[2])), math.degrees(math.atan2(-kingpin[0], kingpin[2]))
    assert found == pytest.approx((inclination, caster), abs=2e-3)


def test_a_rack_that_goes_to_where_the_tie_rods_turn_over_is_refused(tmp_path: Path) -> None:
    """The E90's rack and tie rods as published: at its end the inner tie rod is nearly in line with its arm, and the corner would have no travel at all."""
    file = tmp_path / "e90.yaml"
    rods = "{TIEROD_C: [-0.2, 0.2, -0.05], TIEROD_U: [-0.2, 0.574803759, -0.00127]}"
    text = f"base: sedan_e90\naxles: {{front: {{hardpoints_left: {rods}}}}}\nsteering: {{location: [-0.2, 0, -0.05], max_rack_travel: 0.1117011}}\n"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"turn 4\.7 times as quickly.*toggle.*got 'no travel'"):
        build_vehicle(str(file))
