"""Randomly changed vehicle models and states for the tests, in the format of ``hmmwv_model.yaml``.

A changed model is still a double wishbone that is closed at its design position: a hardpoint moves wherever it is named, the universal and
sliding joints are turned with their rods, wheels stay balanced and round, inertias positive definite.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from simulator.base.arrays import Array

Entries = dict[str, dict[str, Any]]

MIRROR = np.diag([1.0, -1.0, 1.0])
POINT_SHIFT = 0.2
"""m per unit of scale, in each direction: 20 mm at scale 0.1. Much more and the loops no longer close over the whole travel."""
AXIS_TILT = 0.7
"""rad per unit of scale, for the hinge axes of both arms and (half of it) the wheel's axis."""


def perturbed_model(
    model: Mapping[str, Any], rng: np.random.Generator, scale: float = 0.1, *, mirrored: bool = False, tilt_wheels: bool = True
) -> dict[str, Any]:
    """A changed copy of a model; scale 0 leaves it as it is, 0.15 is about the most.

    ``mirrored`` makes right corners the mirror images of the left ones and the chassis symmetric; otherwise every corner is changed on
    its own. ``tilt_wheels=False`` leaves the wheels' axes as they are (no camber and toe at the design position).
    """
    changed = copy.deepcopy(dict(model))
    changed["gravity"] = list(changed["gravity"])
    chassis = next(b for b in changed["bodies"] if b["name"] == "chassis")
    _change_body(chassis, rng, scale)
    for left, right in (("FL", "FR"), ("RL", "RR")):
        _change_corner(changed, left, rng, scale, tilt_wheels)
        if mirrored:
            _copy_mirrored(changed, left, right)
        else:
            _change_corner(changed, right, rng, scale, tilt_wheels)
    if mirrored:
        inertia = np.array(chassis["I"])
        chassis["I"] = (0.5 * (inertia + MIRROR @ inertia @ MIRROR)).tolist()
        chassis["com"][1] = 0.0
    return changed


def random_state(rng: np.random.Generator, *, steering: bool = False) -> dict[str, Array]:
    """Inputs of one state of a whole vehicle, over the ranges of the recorded ones; with ``steering`` the tie rods' inner ends move."""
    side = np.array([1.0, -1.0, 1.0, -1.0])  # theta turns about +x on both sides
    quat = rng.normal(size=4)
    state = {
        "chassis_quat_wxyz": quat / np.linalg.norm(quat),
        "chassis_pos": rng.uniform(-50.0, 50.0, 3),
        "chassis_omega_world": rng.uniform(-2.0, 2.0, 3),
        "chassis_vel_world": rng.uniform(-12.0, 12.0, 3),
        "theta": side * rng.uniform(-0.25, 0.20, 4),
        "theta_dot": rng.uniform(-3.0, 3.0, 4),
        "wheel_angle": rng.uniform(-np.pi, np.pi, 4),
        "wheel_rate": rng.uniform(-10.0, 45.0, 4),
        "wheel_wrench_world": np.hstack([rng.uniform(-15e3, 15e3, (4, 3)), rng.uniform(-1.5e3, 1.5e3, (4, 3))]),
    }
    if steering:
        state["tierod_inner_offset"] = rng.uniform(-1.0, 1.0, (2, 3)) * (0.01, 0.035, 0.002)
        state["tierod_inner_vel"] = rng.uniform(-1.0, 1.0, (2, 3)) * (0.04, 0.13, 0.013)
        state["tierod_inner_acc"] = rng.uniform(-1.0, 1.0, (2, 3)) * (0.5, 1.6, 0.18)
    return state


def mirrored_state(state: Mapping[str, Any]) -> dict[str, Array]:
    """The state in the mirror y -> -y of the world: left and right exchanged."""
    swap, pair = [1, 0, 3, 2], [1, 0]
    wrench = np.asarray(state["wheel_wrench_world"])[swap]
    image = {
        "chassis_quat_wxyz": np.asarray(state["chassis_quat_wxyz"]) * (1.0, -1.0, 1.0, -1.0),
        "chassis_pos": MIRROR @ state["chassis_pos"],
        "chassis_omega_world": -MIRROR @ state["chassis_omega_world"],
        "chassis_vel_world": MIRROR @ state["chassis_vel_world"],
        "theta": -np.asarray(state["theta"])[swap],
        "theta_dot": -np.asarray(state["theta_dot"])[swap],
        "wheel_angle": np.asarray(state["wheel_angle"])[swap],
        "wheel_rate": np.asarray(state["wheel_rate"])[swap],
        "wheel_wrench_world": np.hstack([wrench[:, :3] @ MIRROR, -wrench[:, 3:] @ MIRROR]),
    }
    for key in ("tierod_inner_offset", "tierod_inner_vel", "tierod_inner_acc"):
        if key in state:
            image[key] = np.asarray(state[key])[pair] @ MIRROR
    return image


def hardpoints(model: Mapping[str, Any], corner: str) -> dict[str, Array]:
    """Points of a corner: lca, uca on the arms' hinge axes, D lower and F upper ball joint, B lower and J upper shock end, K outer and
    L inner tie-rod end, W wheel center, S upper and T lower spring end (in front T is B).
    """
    joints, loops, springs = (_of_corner(model, kind, corner) for kind in ("joints", "loops", "springs"))
    return {
        "lca": np.array(joints["lca"]["point"]),
        "uca": np.array(joints["uca"]["point"]),
        "D": np.array(joints["upright"]["point"]),
        "F": np.array(loops["F"]["point"]),
        "B": np.array(joints["shock_lower"]["point"]),
        "J": np.array(loops["J"]["point"]),
        "K": np.array(joints["tierod"]["point"]),
        "L": np.array(loops["L"]["point"]),
        "W": np.array(joints["wheel"]["point"]),
        "S": np.array(springs["spring"]["point_a"]),
        "T": np.array(springs["spring"]["point_b"]),
    }


def _of_corner(model: Mapping[str, Any], kind: str, corner: str) -> Entries:
    """Entries of one list of the model that belong to a corner, by their names without the corner's."""
    return {e["name"].removeprefix(corner + "_"): e for e in model[kind] if e["name"].split("_")[0] == corner}


def _points(model: Mapping[str, Any], corner: str) -> list[tuple[dict[str, Any], str]]:
    """Every place where a corner's hardpoint is written: the entry and its key."""
    keys = {"joints": ("point",), "loops": ("point",), "springs": ("point_a", "point_b"), "corners": ("wheel_centre",)}
    return [(entry, key) for kind, names in keys.items() for entry in _of_corner(model, kind, corner).values() for key in names]


def _unit(v: ArrayLike) -> Array:
    v = np.asarray(v, float)
    return v / np.linalg.norm(v)


def _change_corner(model: dict[str, Any], corner: str, rng: np.random.Generator, scale: float, tilt_wheels: bool) -> None:
    bodies, joints = _of_corner(model, "bodies", corner), _of_corner(model, "joints", corner)
    _move_hardpoints(model, corner, rng, scale)
    for name in ("lca", "uca"):
        joints[name]["axes"] = [_tilted(joints[name]["axes"][0], rng, AXIS_TILT * scale)]
    if tilt_wheels:
        joints["wheel"]["axes"] = [_tilted(joints["wheel"]["axes"][0], rng, 0.5 * AXIS_TILT * scale)]
    if scale > 0.0:
        _align_rods(model, corner)
    for name, body in bodies.items():
        if name == "wheel":
            _change_wheel(body, np.array(joints["wheel"]["point"]), np.array(joints["wheel"]["axes"][0]), rng, scale)
        else:
            _change_body(body, rng, scale)
    spring, damper = _of_corner(model, "springs", corner)["spring"], _of_corner(model, "dampers", corner)["damper"]
    for entry, key, much in ((spring, "k", 3.0), (spring, "free_length", 0.5), (damper, "c", 3.0)):
        entry[key] = float(entry[key] * (1.0 + much * scale * rng.uniform(-1.0, 1.0)))


def _move_hardpoints(model: dict[str, Any], corner: str, rng: np.random.Generator, scale: float) -> None:
    """Moves each hardpoint by its own amount wherever it is written; the wheel's center of mass goes with the wheel center."""
    moved: list[tuple[Array, Array]] = []
    for entry, key in _points(model, corner):
        old = np.array(entry[key], float)
        shift = next((s for p, s in moved if np.abs(p - old).max() < 1e-9), None)
        if shift is None:
            shift = POINT_SHIFT * scale * rng.uniform(-1.0, 1.0, 3)
            moved.append((old, shift))
            if entry["name"] == f"{corner}_wheel":
                wheel = _of_corner(model, "bodies", corner)["wheel"]
                wheel["com"] = (np.array(wheel["com"]) + shift).tolist()
        entry[key] = (old + shift).tolist()


def _tilted(axis: ArrayLike, rng: np.random.Generator, angle: float) -> list[float]:
    return _unit(np.asarray(axis, float) + angle * rng.uniform(-1.0, 1.0, 3)).tolist() if angle > 0.0 else list(np.asarray(axis, float))


def _align_rods(model: dict[str, Any], corner: str) -> None:
    """Axes that follow from the hardpoints: a1 a hinge axis made perpendicular to the rod, a2 = rod x a1; kingpin and shock as they lie."""
    joints, at = _of_corner(model, "joints", corner), hardpoints(model, corner)
    kingpin, shock, tie = _unit(at["F"] - at["D"]), _unit(at["J"] - at["B"]), _unit(at["L"] - at["K"])
    hinge, forward = np.array(joints["lca"]["axes"][0]), np.array([1.0, 0.0, 0.0])
    for name, rod, guide in (("upright", kingpin, hinge), ("shock_lower", shock, hinge), ("tierod", tie, forward)):
        first = _unit(guide - (guide @ rod) * rod)
        joints[name]["axes"] = [first.tolist(), np.cross(rod, first).tolist()]
    joints["knuckle"]["axes"] = [kingpin.tolist()]
    joints["shock_upper"]["axes"] = [shock.tolist()]


def _change_body(body: dict[str, Any], rng: np.random.Generator, scale: float) -> None:
    """Other mass, center of mass off its place, inertia of the body deformed (by its second moments, which keeps it a possible one)."""
    mass, E = 1.0 + 3.0 * scale * rng.uniform(-1.0, 1.0), np.eye(3) + scale * rng.uniform(-1.0, 1.0, (3, 3))
    inertia = np.array(body["I"], float)
    second = mass * E @ (0.5 * np.trace(inertia) * np.eye(3) - inertia) @ E.T
    body["mass"] = float(body["mass"] * mass)
    body["com"] = (np.array(body["com"]) + POINT_SHIFT * scale * rng.uniform(-1.0, 1.0, 3)).tolist()
    _set_inertia(body, np.trace(second) * np.eye(3) - second)


def _change_wheel(body: dict[str, Any], center: Array, axis: Array, rng: np.random.Generator, scale: float) -> None:
    """Other mass and moments, round about its axis; center of mass elsewhere on the axis."""
    inertia = np.array(body["I"], float)
    axial, across = np.sort(np.linalg.eigvalsh(inertia))[[2, 0]] * (1.0 + scale * rng.uniform(-1.0, 1.0, 2))
    axial = min(axial, 1.95 * across)  # a disc has twice; more has no body
    outward = float((np.array(body["com"]) - center) @ axis) + POINT_SHIFT * scale * rng.uniform(-1.0, 1.0)
    body["mass"] = float(body["mass"] * (1.0 + 3.0 * scale * rng.uniform(-1.0, 1.0)))
    body["com"] = (center + outward * axis).tolist()
    _set_inertia(body, across * np.eye(3) + (axial - across) * np.outer(axis, axis))


def _set_inertia(body: dict[str, Any], inertia: Array) -> None:
    inertia = 0.5 * (inertia + inertia.T)
    np.linalg.cholesky(inertia)  # refuses what is not positive definite
    body["I"] = inertia.tolist()


def _copy_mirrored(model: dict[str, Any], left: str, right: str) -> None:
    """Makes the right corner the mirror image of the left one; arms and wheel keep turning right-handed about +x and +y."""
    for kind in ("bodies", "springs", "dampers"):
        source, target = _of_corner(model, kind, left), _of_corner(model, kind, right)
        for name, entry in target.items():
            for key in entry.keys() & {"mass", "k", "free_length", "c"}:
                entry[key] = source[name][key]
            if kind == "bodies":
                entry["com"] = (MIRROR @ source[name]["com"]).tolist()
                entry["I"] = (MIRROR @ np.array(source[name]["I"]) @ MIRROR).tolist()
    for (source_entry, key), (entry, _) in zip(_points(model, left), _points(model, right), strict=True):
        entry[key] = (MIRROR @ source_entry[key]).tolist()
    left_joints, right_joints = _of_corner(model, "joints", left), _of_corner(model, "joints", right)
    for name, sign in (("lca", 1.0), ("uca", 1.0), ("wheel", -1.0)):
        right_joints[name]["axes"] = [(sign * MIRROR @ left_joints[name]["axes"][0]).tolist()]
    _align_rods(model, right)
