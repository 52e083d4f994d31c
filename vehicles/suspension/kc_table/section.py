"""Section of a vehicle file for an axle from K&C data: a table of toe, camber and position of the wheel over travel and steering."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from simulator.base.fields import Field, Fields, Group, Number
from simulator.base.values import Values
from vehicles.body_fields import POINT
from vehicles.compliance.measured import MEASURED_FILE, MeasuredCompliance
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.axle_limits import FAR, SHORT
from vehicles.suspension.axle_section import BUSHES, Axle
from vehicles.suspension.axle_table import FRAME, axle_fields
from vehicles.suspension.kc_table.corner import TableCorner
from vehicles.suspension.kc_table.motion import TableMotion, design_axes
from vehicles.suspension.kc_table.table import WheelTable, read_table
from vehicles.suspension.table_file import CSV_NAME, TableFile, table_at
from vehicles.suspension.wheel_carrier import carrier_with_wheel

_LENGTH = Field("length", Number("m", SHORT, FAR, above=0.0), "length in the design position, at travel 0")
_UPRIGHT = Field("UPRIGHT", POINT, "center of mass of the knuckle; default: SPINDLE", None, FRAME)


def _fields() -> Fields:
    """Return the table of the kind: that of an axle with one point and one length, and the files."""
    rows = []
    for one in axle_fields({"SPINDLE": "wheel center at travel 0"}, (), (_LENGTH,)):
        if one.name == "hardpoints_left":
            one = replace(one, kind=Group((*one.kind.fields, _UPRIGHT)))  # type: ignore[attr-defined]  # noqa: PLW2901
        rows.append(MEASURED_FILE if one.name == "compliance" else one)
    return (
        *rows,
        Field("file", CSV_NAME, "K&C data of the left wheel: travel_mm, toe_deg, camber_deg ..., see docs/kc_table.md"),
        Field("right_file", CSV_NAME, "K&C data of the right wheel; default: mirror image of the left one", None),
        Field("loaded_radius", Number("m", 0.01, 5.0), "height of the wheel center above the contact, for columns of the contact", None),
    )


ARMS = {
    "lca_front_B": (0.15, -0.35, -0.1),
    "lca_rear_B": (-0.15, -0.35, -0.1),
    "uca_front_B": (0.1, -0.3, 0.1),
    "uca_rear_B": (-0.1, -0.3, 0.1),
    "lower": (0.0, -0.06, -0.1),
    "upper": (0.0, -0.08, 0.1),
}
"""m from a left wheel center: points of the arms that the view draws, since a table has none; the upper ends of the struts are a length above the
lower one."""
UNDER_STRUTS = 0.02, -0.1, -0.05
"""m from a left wheel center: lower ends of spring and shock absorber in the view."""


class TableAxle(Axle):
    """Wheels on tables."""

    fields = _fields()
    joints = ()
    bushes = BUSHES

    def __init__(self, values: Values) -> None:
        if "UPRIGHT" not in values["hardpoints_left"]:
            self.centers: Mapping[str, str] = dict.fromkeys(("knuckle", "wheel"), "SPINDLE")
        super().__init__(values)
        is_front = values.key.rpartition(".")[2] == "front"
        radius = values.get("loaded_radius")
        self.left: WheelTable = read_table(table_at(values, "file"), is_front, radius)
        self.right = self.left
        if "right_file" in values:
            self.right = read_table(table_at(values, "right_file"), is_front, radius, mirrored=True)
        if self.right.by != self.left.by:
            raise values.error("right_file", f"a table with the column {self.left.by or 'travel only'}, as that of the left wheel")
        if self.compliance is not None:
            self.elastic = MeasuredCompliance(self.compliance, design_axes(self.left, 1.0)[:, 1])
        wheel = self.points["SPINDLE"]
        self.points |= {name: wheel + offset for name, offset in ARMS.items()}
        for name, strut in (("spring", self.spring), ("shock", self.shock)):
            self.points[f"{name}_upper_B"] = wheel + UNDER_STRUTS + np.array([0.0, 0.0, strut["length"]])

    @classmethod
    def why_unsteered(cls, values: Values) -> str:
        content = values["file"].content if isinstance(values["file"], TableFile) else None
        headings = [str(name).lower() for name in content] if isinstance(content, dict) else []
        if any(name.startswith(("rack", "steering_wheel", "hand_wheel")) for name in headings):
            return ""
        return "its table has no column rack_mm or steering_wheel_deg"

    def corner(self, mirror: bool) -> TableCorner:
        table, side = (self.right, -1.0) if mirror else (self.left, 1.0)
        points, bodies = self.side(mirror)
        axes, wheel = design_axes(table, side), bodies["wheel"]
        turned = {**bodies, "wheel": RigidBody(wheel.name, wheel.mass, wheel.p_BoBcm, axes @ wheel.I_BBcm @ axes.T)}
        W = points["SPINDLE"]
        spin, body = carrier_with_wheel(turned, W, axes[:, 1], self.file, f"{self.key}.bodies.wheel.inertia")
        under = W + np.array(UNDER_STRUTS) * (1.0, side, 1.0)
        view = np.stack([points["lower"], points["upper"], W, under, under, W])
        lengths = self.spring["length"], self.shock["length"]
        return TableCorner(TableMotion(table, side, W, body, lengths, view, self.file, self.key), bodies, spin)


AXLE = TableAxle
