"""Corners of a model file as closed-form corners. The kind of a corner follows from its body names.

Double wishbone: ``FL_lca``, ``FL_upright``, ``FL_knuckle``, ``FL_tierod``, ``FL_wheel``, ``FL_shock_lower``, ``FL_shock_upper``,
``FL_uca``. MacPherson strut: ``FL_lca``, ``FL_strut`` (rod on a ball joint of the chassis), ``FL_knuckle`` (with the tube that slides on
the rod), ``FL_wheel``; the tie rod is a distance constraint to ``rack`` or ``chassis``. Semi-trailing arm: ``FL_arm``, ``FL_wheel``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.base.records import Record, numbers, record
from simulator.validation.reference.model_file import JointFormat, ModelFile
from vehicles.mechanism_parameters import CORNER_NAMES, VehicleDesign
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.steering.contract import RACK as LINKAGE_RACK
from vehicles.steering.steering import STEERING
from vehicles.suspension.anti_roll_bar import PLAIN
from vehicles.suspension.corner_design import CARRIER_NAME, CornerDesign
from vehicles.suspension.default_kind import NAME, kind_module
from vehicles.suspension.macpherson.corner import MacPhersonCorner
from vehicles.suspension.semi_trailing_arm.corner import SemiTrailingArmCorner
from vehicles.suspension.springs_and_dampers import STRUTS

CHASSIS, RACK = "chassis", "rack"

JOINTS = {
    "lca": JointFormat("revolute", CHASSIS, 1),
    "upright": JointFormat("universal", "lca", 2),
    "knuckle": JointFormat("revolute", "upright", 1),
    "tierod": JointFormat("universal", "knuckle", 2),
    "wheel": JointFormat("revolute", "knuckle", 1),
    "shock_lower": JointFormat("universal", "lca", 2),
    "shock_upper": JointFormat("prismatic", "shock_lower", 1),
    "uca": JointFormat("revolute", CHASSIS, 1),
}
"""Joint of each body of a double wishbone."""

STRUT_JOINTS = {
    "lca": JointFormat("revolute", CHASSIS, 1),
    "strut": JointFormat("spherical", CHASSIS, 0),
    "knuckle": JointFormat("prismatic", "strut", 1),
    "wheel": JointFormat("revolute", "knuckle", 1),
}
ARM_JOINTS = {"arm": JointFormat("revolute", CHASSIS, 1), "wheel": JointFormat("revolute", "arm", 1)}

STRAIGHT = 1e-6
"""Tolerance in m of the spring ends relative to the axis of the strut, and of the length of a tie rod relative to the distance of its
ends."""


class CornerFormat(NamedTuple):
    """A kind of corner in a model file.

    joints : joints of its bodies, in the order of the files
    theta : body whose joint is the coordinate of the corner
    sprung : body of the lower spring end
    damper : body that identifies the damper
    read : function that reads the corner of a name; its tie rod ends on the given body, if there is one
    """

    joints: dict[str, JointFormat]
    theta: str
    sprung: str
    damper: str
    read: Callable[[ModelFile, str, str], CornerDesign]


def read_double_wishbone(model: ModelFile, name: str, inner: str) -> CornerDesign:
    """Read a double wishbone. Raises ConfigError."""
    D = model.vector("joints", f"{name}_upright", "point")
    F = model.vector("loops", f"{name}_upright", "point")
    K = model.vector("joints", f"{name}_tierod", "point")
    Q = model.vector("loops", f"{name}_tierod", "point")
    B = model.vector("joints", f"{name}_shock_lower", "point")
    J = model.vector("loops", f"{name}_shock_upper", "point")
    model.along(JOINTS, name, "knuckle", F - D, "the kingpin, lower to upper ball joint")
    model.along(JOINTS, name, "shock_upper", J - B, "the shock absorber")
    corner: CornerDesign = kind_module("corner").CORNER(
        lower_arm_point=model.vector("joints", f"{name}_lca", "point"),
        lower_arm_axis=model.axes(JOINTS, name, "lca")[0],
        upper_arm_point=model.vector("joints", f"{name}_uca", "point"),
        upper_arm_axis=model.axes(JOINTS, name, "uca")[0],
        D=D,
        F=F,
        K=K,
        Q=Q,
        B=B,
        J=J,
        S=model.vector("springs", f"{name}_lca", "point_b"),
        U=model.vector("springs", f"{name}_lca", "point_a"),
        W=model.vector("joints", f"{name}_wheel", "point"),
        axle=model.axes(JOINTS, name, "wheel")[0],
        upright_axes=model.across(JOINTS, name, "upright", F - D),
        tierod_axes=model.across(JOINTS, name, "tierod", Q - K),
        shock_axes=model.across(JOINTS, name, "shock_lower", J - B),
        bodies={ours: model.body(f"{name}_{theirs}") for ours, theirs in kind_module("mechanism").BODY_NAMES.items()},
        file=model.file,
        key=name,
    )
    return corner


def read_macpherson(model: ModelFile, name: str, inner: str) -> CornerDesign:
    """Read a MacPherson strut. Raises ConfigError."""
    knuckle = f"{name}_knuckle"
    model.axes(STRUT_JOINTS, name, "strut")
    J, V = model.vector("joints", f"{name}_strut", "point"), model.vector("joints", knuckle, "point")
    model.along(STRUT_JOINTS, name, "knuckle", V - J, "the strut")
    model.between("loops", knuckle, type="ball", body_a=f"{name}_lca", body_b=knuckle)
    model.between("springs", knuckle, body_a=CHASSIS)
    ends = {field: model.vector("springs", knuckle, field) for field in ("point_a", "point_b")}
    u = (V - J) / np.linalg.norm(V - J)
    for field, end in ends.items():
        if np.linalg.norm(np.cross(end - J, u)) > STRAIGHT:
            raise ConfigError(model.file, f"{model.entry('springs', knuckle)[0]}.{field}", end.tolist(), "a point on the axis of the strut")
    K, Q = _tie_rod(model, knuckle, inner)
    return MacPhersonCorner(
        arm_point=model.vector("joints", f"{name}_lca", "point"),
        arm_axis=model.axes(STRUT_JOINTS, name, "lca")[0],
        D=model.vector("loops", knuckle, "point"),
        J=J,
        V=V,
        K=K,
        Q=Q,
        S=ends["point_b"],
        U=ends["point_a"],
        B=V,
        W=model.vector("joints", f"{name}_wheel", "point"),
        axle=model.axes(STRUT_JOINTS, name, "wheel")[0],
        bodies={
            ours: model.body(f"{name}_{theirs}")
            for ours, theirs in (("lower_arm", "lca"), *((b, b) for b in ("strut", "knuckle", "wheel")))
        },
        file=model.file,
        key=name,
    )


def _tie_rod(model: ModelFile, knuckle: str, inner: str) -> tuple[Vector, Vector]:
    """Return the outer and inner joint of the tie rod."""
    rod = f"{knuckle} distance"
    model.between("loops", rod, body_a=inner)
    K, Q = model.vector("loops", rod, "point_b"), model.vector("loops", rod, "point_a")
    length, distance = model.number("loops", rod, "length"), float(np.linalg.norm(K - Q))
    if abs(length - distance) > STRAIGHT:
        raise ConfigError(
            model.file, f"{model.entry('loops', rod)[0]}.length", length, f"{distance:.9g} m, the distance of point_a and point_b"
        )
    return K, Q


def read_semi_trailing_arm(model: ModelFile, name: str, inner: str) -> CornerDesign:
    """Read a semi-trailing arm. Raises ConfigError."""
    arm = f"{name}_arm"
    model.between("springs", arm, body_a=CHASSIS)
    model.between("dampers", arm, body_a=CHASSIS)
    P, e = model.vector("joints", arm, "point"), model.axes(ARM_JOINTS, name, "arm")[0]
    W = model.vector("joints", f"{name}_wheel", "point")
    if not np.cross(e, W - P)[2] > 0.0:
        raise ConfigError(model.file, f"{model.entry('joints', arm)[0]}.axes", e.tolist(), "an axis about which a positive angle is jounce")
    return SemiTrailingArmCorner(
        P=P,
        e=e,
        Q=P,
        S=model.vector("springs", arm, "point_b"),
        U=model.vector("springs", arm, "point_a"),
        B=model.vector("dampers", arm, "point_b"),
        J=model.vector("dampers", arm, "point_a"),
        W=W,
        axle=model.axes(ARM_JOINTS, name, "wheel")[0],
        bodies={"knuckle": model.body(arm), "wheel": model.body(f"{name}_wheel")},
        file=model.file,
        key=name,
    )


FORMATS = {
    NAME: CornerFormat(JOINTS, "lca", "lca", "shock_upper", read_double_wishbone),
    MacPhersonCorner.kind: CornerFormat(STRUT_JOINTS, "lca", "knuckle", "knuckle", read_macpherson),
    SemiTrailingArmCorner.kind: CornerFormat(ARM_JOINTS, "arm", "arm", "arm", read_semi_trailing_arm),
}
"""Formats by the kind of the corner in a vehicle file."""


class Model(NamedTuple):
    """A vehicle from a model file, and the rack of its front tie rods, if there is one."""

    design: VehicleDesign
    steering: Record | None


def read_design(mapping: object, file: str) -> VehicleDesign:
    """Return the vehicle of a parsed file. Raises ConfigError."""
    return read_model(mapping, file).design


def read_model(mapping: object, file: str) -> Model:
    """Return the vehicle and the steering of a parsed file. Raises ConfigError: a section, body, joint, loop or value is missing,
    unknown or of another kind."""
    model = ModelFile(mapping, file)
    rack = _read_rack(model) if RACK in model.joints or RACK in model.bodies else None
    kinds = [_kind(model, name) for name in CORNER_NAMES]
    corners = []
    for name, kind in zip(CORNER_NAMES, kinds, strict=True):
        front = name in CORNER_NAMES[:2]
        corner = FORMATS[kind].read(model, name, RACK if front and rack is not None else CHASSIS)
        corners.append(corner.with_rack(rack.half) if front and rack is not None else corner)
    struts = _struts(model, kinds)
    _read_anti_roll_bars(model, corners, struts)
    return Model(VehicleDesign(model.body(CHASSIS), tuple(corners), struts, model.gravity), None if rack is None else rack.steering)


def _kind(model: ModelFile, corner: str) -> str:
    if f"{corner}_strut" in model.bodies:
        return MacPhersonCorner.kind
    return SemiTrailingArmCorner.kind if f"{corner}_arm" in model.bodies else NAME


class _Rack(NamedTuple):
    """Half of the rack body, which is attached to each tie rod, and a STEERING record whose angle moves the rack 1 m to the left per
    unit."""

    half: RigidBody
    steering: Record


def _read_rack(model: ModelFile) -> _Rack:
    key, entry = model.entry("joints", RACK)
    if entry.get("type") != "prismatic" or entry.get("parent") != CHASSIS:
        raise ConfigError(model.file, key, [entry.get("type"), entry.get("parent")], f"a prismatic joint on {CHASSIS}")
    axes = numbers(entry.get("axes"), (1, 3), model.file, f"{key}.axes")
    if np.abs(axes[0] - [0.0, 1.0, 0.0]).max() > STRAIGHT:
        raise ConfigError(model.file, f"{key}.axes", axes.tolist(), "[[0, 1, 0]], the rack displacement to the left")
    body, steering = model.body(RACK), record(STEERING)
    steering[0]["location"], steering[0]["rotation"] = model.vector("joints", RACK, "point"), np.eye(3)
    steering[0]["kind"], steering[0]["ratio"], steering[0]["rack_travel"] = LINKAGE_RACK, 1.0, 1.0
    return _Rack(RigidBody(RACK, 0.5 * body.mass, body.p_BoBcm, 0.5 * body.I_BBcm), steering)


def _struts(model: ModelFile, kinds: list[str]) -> Record:
    """Return linear springs and dampers without stops."""
    struts = record(STRUTS)
    s = struts[0]
    for i, (name, kind) in enumerate(zip(CORNER_NAMES, kinds, strict=True)):
        sprung, damper = f"{name}_{FORMATS[kind].sprung}", f"{name}_{FORMATS[kind].damper}"
        s["spring_rate"][i] = model.number("springs", sprung, "k")
        s["spring_free_length"][i] = model.number("springs", sprung, "free_length")
        c = model.number("dampers", damper, "c")
        for field in ("compression_damping", "rebound_damping", "compression_damping_end", "rebound_damping_end"):
            s[field][i] = c
        s["midstroke_blend"][i] = 1.0
    return struts


def _read_anti_roll_bars(model: ModelFile, corners: list[CornerDesign], struts: Record) -> None:
    """Read linear anti-roll bars, k (z_L - z_R), each between the two sides of an axle."""
    bars = struts[0]["anti_roll_bars"]
    for bar, (key, entry) in model.anti_roll_bars.items():
        direction = model.vector("anti_roll_bars", bar, "direction")
        if np.abs(direction - [0.0, 0.0, 1.0]).max() > STRAIGHT:
            raise ConfigError(model.file, f"{key}.direction", direction.tolist(), "[0, 0, 1], along z of the chassis")
        bodies = [_holder(model, f"{key}.body_{side}", entry.get(f"body_{side}")) for side in ("left", "right")]
        n, (left, right) = bodies[0][0] // 2, (i for i, _ in bodies)
        if (left, right) != (2 * n, 2 * n + 1) or bars["law"][n] == PLAIN:
            expected = "one bar for each axle, on its left and right side"
            raise ConfigError(model.file, f"{key}.body_right", entry.get("body_right"), expected)
        bars["law"][n], bars["stiffness"][n] = PLAIN, model.number("anti_roll_bars", bar, "k")
        for (i, body), side in zip(bodies, ("left", "right"), strict=True):
            point = model.vector("anti_roll_bars", bar, f"point_{side}")
            hinged = corners[i].hinged_point(body, point)
            bars["on_arm"][n] = hinged is not None
            if hinged is not None:
                bars["arm_point"][:, :, i] = hinged
            else:
                bars["carrier_point"][:, i], bars["turned"] = point - corners[i].W, 1


def _holder(model: ModelFile, key: str, body: object) -> tuple[int, str]:
    """Return the corner of a body that carries a bar, and the name of the body in a vehicle file."""
    holders = {"lca": "lower_arm", "arm": "trailing_arm", "knuckle": CARRIER_NAME}
    for i, name in enumerate(CORNER_NAMES):
        for theirs, ours in holders.items():
            if body == f"{name}_{theirs}" and body in model.bodies:
                return i, ours
    raise ConfigError(model.file, key, body, "a lower or trailing arm or a knuckle: " + ", ".join(f"FL_{name}" for name in holders))
