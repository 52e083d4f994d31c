"""Reads a mechanism given as bodies, joints and loops (the format of the acceleration oracle) into our closed-form corners.

The file lists every body of the vehicle with mass, centre of mass and inertia, every joint with its point and axes, the loop
closures, springs and dampers, all in chassis axes at the design position. Names are ``FL_lca``, ``FL_upright``, ``FL_knuckle``,
``FL_tierod``, ``FL_wheel``, ``FL_shock_lower``, ``FL_shock_upper``, ``FL_uca`` and so on for FR, RL and RR, and ``chassis``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.records import LARGEST, Record, numbers, record
from simulator.base.words import no_such_key
from vehicles.model import CORNER_NAMES, Design
from vehicles.multibody.description.rigid_body import RigidBody, checked_body
from vehicles.suspension.corner_design import CornerDesign
from vehicles.suspension.default_kind import room
from vehicles.suspension.struts import STRUTS

SECTIONS = {
    "gravity": None,
    "bodies": {"name", "parent", "mass", "com", "I"},
    "joints": {"name", "type", "parent", "child", "point", "axes"},
    "loops": {"name", "type", "body_a", "body_b", "point"},
    "springs": {"name", "body_a", "point_a", "body_b", "point_b", "k", "free_length"},
    "dampers": {"name", "joint", "c"},
    "corners": {"name", "wheel_centre", "tire_radius"},
}

JOINTS = {
    "lca": ("revolute", "chassis", 1),
    "upright": ("universal", "lca", 2),
    "knuckle": ("revolute", "upright", 1),
    "tierod": ("universal", "knuckle", 2),
    "wheel": ("revolute", "knuckle", 1),
    "shock_lower": ("universal", "lca", 2),
    "shock_upper": ("prismatic", "shock_lower", 1),
    "uca": ("revolute", "chassis", 1),
}
"""Joint of each body of a corner: type, parent, number of axes."""


class ModelFile:
    """Indexed, checked view of such a file.

    Raises
    ------
    ConfigError : a section, body, joint, loop or value is missing, unknown or of another kind
    """

    def __init__(self, mapping: Any, file: str) -> None:
        self.file = file
        if not isinstance(mapping, Mapping):
            raise ConfigError(file, "", mapping, "a mapping with the keys " + ", ".join(SECTIONS))
        for name in mapping:
            if name not in SECTIONS:
                raise ConfigError(file, str(name), mapping[name], no_such_key(name, SECTIONS))
        self.gravity = self._gravity(mapping.get("gravity", [0.0, 0.0, -9.81]))
        self.bodies = self._section(mapping, "bodies", "name")
        self.joints = self._section(mapping, "joints", "child")
        self.loops = self._section(mapping, "loops", "body_b")
        self.springs = self._section(mapping, "springs", "body_b")
        self.dampers = self._section(mapping, "dampers", "joint")

    def _gravity(self, value: Any) -> float:
        g = numbers(value, (3,), self.file, "gravity", "m/s2")
        if g[0] != 0.0 or g[1] != 0.0 or g[2] > 0.0:
            raise ConfigError(self.file, "gravity", value, "[0, 0, -g]")
        return -float(g[2])

    def _section(self, mapping: Mapping[str, Any], name: str, index: str) -> dict[str, tuple[str, Mapping[str, Any]]]:
        entries = mapping.get(name)
        if not isinstance(entries, list):
            raise ConfigError(self.file, name, entries, "a list")
        found: dict[str, tuple[str, Mapping[str, Any]]] = {}
        for n, entry in enumerate(entries):
            key = f"{name}[{n}]"
            if not isinstance(entry, Mapping) or not isinstance(entry.get(index), str):
                raise ConfigError(self.file, key, entry, f"a mapping with a text under {index!r}")
            for field in entry:
                if field not in (SECTIONS[name] or ()):
                    raise ConfigError(self.file, f"{key}.{field}", entry[field], no_such_key(field, SECTIONS[name] or ()))
            if entry[index] in found:
                raise ConfigError(self.file, f"{key}.{index}", entry[index], f"a {index} that no other entry of {name} has")
            found[entry[index]] = (key, entry)
        return found

    def vector(self, section: str, name: str, field: str) -> NDArray[np.float64]:
        """Three numbers [m or 1] of an entry."""
        key, entry = self.entry(section, name)
        return numbers(entry.get(field), (3,), self.file, f"{key}.{field}", within=(-LARGEST, LARGEST))

    def number(self, section: str, name: str, field: str) -> float:
        """One number of an entry: a mass, a length, a stiffness, a damping, none of which is negative."""
        key, entry = self.entry(section, name)
        return float(numbers(entry.get(field), (), self.file, f"{key}.{field}", within=(0.0, LARGEST)))

    def entry(self, section: str, name: str) -> tuple[str, Mapping[str, Any]]:
        """Key path and content of the entry called (or belonging to) `name`."""
        entries: dict[str, tuple[str, Mapping[str, Any]]] = getattr(self, section)
        if name not in entries:
            raise ConfigError(self.file, section, sorted(entries), f"an entry for {name}")
        return entries[name]

    def body(self, name: str) -> RigidBody:
        """Body with its checks."""
        key, entry = self.entry("bodies", name)
        inertia = numbers(entry.get("I"), (3, 3), self.file, f"{key}.I", "kg m2")
        return checked_body(
            RigidBody(name, self.number("bodies", name, "mass"), self.vector("bodies", name, "com"), inertia), self.file, f"{key} ({name})"
        )

    def axes(self, corner: str, body: str) -> NDArray[np.float64]:
        """(n, 3) unit joint axes of a body of a corner, after the type and the parent have been checked."""
        kind, parent, count = JOINTS[body]
        key, entry = self.entry("joints", f"{corner}_{body}")
        parent = parent if parent == "chassis" else f"{corner}_{parent}"
        if entry.get("type") != kind or entry.get("parent") != parent:
            raise ConfigError(self.file, key, [entry.get("type"), entry.get("parent")], f"a {kind} joint on {parent}")
        axes = numbers(entry.get("axes"), (count, 3), self.file, f"{key}.axes")
        lengths = np.linalg.norm(axes, axis=1)
        if np.abs(lengths - 1.0).max() > 1e-6:
            raise ConfigError(self.file, f"{key}.axes", axes.tolist(), "unit vectors")
        return axes / lengths[:, None]

    def along(self, corner: str, body: str, line: NDArray[np.float64], what: str) -> None:
        """Check that the single axis of a joint lies along a line."""
        axis = self.axes(corner, body)[0]
        if np.linalg.norm(np.cross(axis, line)) > 1e-6 * np.linalg.norm(line):
            raise ConfigError(self.file, self.entry("joints", f"{corner}_{body}")[0] + ".axes", axis.tolist(), f"an axis along {what}")

    def across(self, corner: str, body: str, rod: NDArray[np.float64]) -> NDArray[np.float64]:
        """Both axes (2, 3) of a rod's universal joint; the second must be perpendicular to the first and to the rod."""
        first, second = self.axes(corner, body)
        if abs(np.dot(first, second)) > 1e-6 or abs(np.dot(second, rod)) > 1e-6 * np.linalg.norm(rod):
            key = self.entry("joints", f"{corner}_{body}")[0] + ".axes"
            raise ConfigError(self.file, key, [first.tolist(), second.tolist()], "a second axis perpendicular to the first and to the rod")
        return np.stack([first, second])


def read_design(mapping: Any, file: str) -> Design:
    """The vehicle of an already parsed file of this format. Raises ConfigError."""
    model = ModelFile(mapping, file)
    return Design(model.body("chassis"), tuple(read_corner(model, name) for name in CORNER_NAMES), _struts(model), model.gravity)


def read_corner(model: ModelFile, name: str) -> CornerDesign:
    """Design description of one corner. Raises ConfigError."""
    D = model.vector("joints", f"{name}_upright", "point")
    F = model.vector("loops", f"{name}_upright", "point")
    K = model.vector("joints", f"{name}_tierod", "point")
    Q = model.vector("loops", f"{name}_tierod", "point")
    B = model.vector("joints", f"{name}_shock_lower", "point")
    J = model.vector("loops", f"{name}_shock_upper", "point")
    model.along(name, "knuckle", F - D, "the kingpin, lower to upper ball joint")
    model.along(name, "shock_upper", J - B, "the shock absorber")
    corner: CornerDesign = room("corner").CORNER(
        lower_arm_point=model.vector("joints", f"{name}_lca", "point"),
        lower_arm_axis=model.axes(name, "lca")[0],
        upper_arm_point=model.vector("joints", f"{name}_uca", "point"),
        upper_arm_axis=model.axes(name, "uca")[0],
        D=D,
        F=F,
        K=K,
        Q=Q,
        B=B,
        J=J,
        S=model.vector("springs", f"{name}_lca", "point_b"),
        U=model.vector("springs", f"{name}_lca", "point_a"),
        W=model.vector("joints", f"{name}_wheel", "point"),
        axle=model.axes(name, "wheel")[0],
        upright_axes=model.across(name, "upright", F - D),
        tierod_axes=model.across(name, "tierod", Q - K),
        shock_axes=model.across(name, "shock_lower", J - B),
        bodies={ours: model.body(f"{name}_{theirs}") for ours, theirs in room("mechanism").BODY_NAMES.items()},
        file=model.file,
        key=name,
    )
    return corner


def _struts(model: ModelFile) -> Record:
    """Linear springs and dampers, no stops."""
    struts = record(STRUTS)
    s = struts[0]
    for i, name in enumerate(CORNER_NAMES):
        s["spring_rate"][i] = model.number("springs", f"{name}_lca", "k")
        s["spring_free_length"][i] = model.number("springs", f"{name}_lca", "free_length")
        c = model.number("dampers", f"{name}_shock_upper", "c")
        for field in ("compression_damping", "rebound_damping", "compression_damping_end", "rebound_damping_end"):
            s[field][i] = c
        s["midstroke_blend"][i] = 1.0
    return struts
