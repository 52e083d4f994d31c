"""Model file: a vehicle as bodies, joints and loops (the format of the acceleration references), with checked access by name.

The file lists every body with mass, center of mass and inertia, every joint with its point and axes, the loop closures, springs, dampers
and anti-roll bars, all in chassis axes at the design position. Names start with ``FL_``, ``FR_``, ``RL_`` or ``RR_``; the rest
identifies the kind of corner (`simulator.validation.reference.model_corners`). Further bodies are ``chassis`` and optionally ``rack``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.records import LARGEST, numbers
from simulator.base.suggestions import no_such_key
from vehicles.multibody.description.rigid_body import RigidBody, checked_body

SECTIONS = {
    "gravity": None,
    "bodies": {"name", "parent", "mass", "com", "I"},
    "joints": {"name", "type", "parent", "child", "point", "axes"},
    "loops": {"name", "type", "body_a", "body_b", "point", "point_a", "point_b", "length"},
    "springs": {"name", "body_a", "point_a", "body_b", "point_b", "k", "free_length"},
    "dampers": {"name", "joint", "body_a", "point_a", "body_b", "point_b", "c"},
    "anti_roll_bars": {"name", "body_left", "point_left", "body_right", "point_right", "k", "direction"},
    "corners": {"name", "wheel_centre", "tire_radius"},
}

OPTIONAL = ("anti_roll_bars",)
"""Optional sections."""

UNIT = 1e-6
"""Tolerance of the length and of the direction of an axis."""


class JointFormat(NamedTuple):
    """Format of a joint in the file: its type, its parent body (of the corner, or the chassis), and its number of axes."""

    kind: str
    parent: str
    axes: int


class ModelFile:
    """Indexed and checked view of a model file.

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
        self.dampers = self._section(mapping, "dampers", "joint", "body_b")
        self.anti_roll_bars = self._section(mapping, "anti_roll_bars", "name")

    def _gravity(self, value: Any) -> float:
        g = numbers(value, (3,), self.file, "gravity", "m/s2")
        if g[0] != 0.0 or g[1] != 0.0 or g[2] > 0.0:
            raise ConfigError(self.file, "gravity", value, "[0, 0, -g]")
        return -float(g[2])

    def _section(self, mapping: Mapping[str, Any], name: str, *index: str) -> dict[str, tuple[str, Mapping[str, Any]]]:
        """Return the entries by the first existing field of `index`. A distance loop is indexed by its body and " distance", since
        another loop may end on the body."""
        entries = mapping.get(name, [] if name in OPTIONAL else None)
        if not isinstance(entries, list):
            raise ConfigError(self.file, name, entries, "a list")
        parts: dict[str, tuple[str, Mapping[str, Any]]] = {}
        for n, entry in enumerate(entries):
            key = f"{name}[{n}]"
            field = next((field for field in index if isinstance(entry, Mapping) and field in entry), index[0])
            if not isinstance(entry, Mapping) or not isinstance(entry.get(field), str):
                raise ConfigError(self.file, key, entry, f"a mapping with a text under {field!r}")
            for one in entry:
                if one not in (SECTIONS[name] or ()):
                    raise ConfigError(self.file, f"{key}.{one}", entry[one], no_such_key(one, SECTIONS[name] or ()))
            known_by = entry[field] + (" distance" if name == "loops" and entry.get("type") == "distance" else "")
            if known_by in parts:
                raise ConfigError(self.file, f"{key}.{field}", entry[field], f"a unique {field} in {name}")
            parts[known_by] = (key, entry)
        return parts

    def vector(self, section: str, name: str, field: str) -> NDArray[np.float64]:
        """Return three numbers [m or 1] of an entry."""
        key, entry = self.entry(section, name)
        return numbers(entry.get(field), (3,), self.file, f"{key}.{field}", within=(-LARGEST, LARGEST))

    def number(self, section: str, name: str, field: str) -> float:
        """Return one non-negative number of an entry: mass, length, stiffness or damping."""
        key, entry = self.entry(section, name)
        return float(numbers(entry.get(field), (), self.file, f"{key}.{field}", within=(0.0, LARGEST)))

    def entry(self, section: str, name: str) -> tuple[str, Mapping[str, Any]]:
        """Return the key path and the content of an entry."""
        entries: dict[str, tuple[str, Mapping[str, Any]]] = getattr(self, section)
        if name not in entries:
            raise ConfigError(self.file, section, sorted(entries), f"an entry for {name}")
        return entries[name]

    def body(self, name: str) -> RigidBody:
        """Return a checked body."""
        key, entry = self.entry("bodies", name)
        inertia = numbers(entry.get("I"), (3, 3), self.file, f"{key}.I", "kg m2")
        return checked_body(
            RigidBody(name, self.number("bodies", name, "mass"), self.vector("bodies", name, "com"), inertia), self.file, f"{key} ({name})"
        )

    def axes(self, joints: Mapping[str, JointFormat], corner: str, body: str) -> NDArray[np.float64]:
        """Return the (n, 3) unit axes of the joint of a corner body, after a check of its type and its parent."""
        kind, parent, count = joints[body]
        key, entry = self.entry("joints", f"{corner}_{body}")
        parent = parent if parent == "chassis" else f"{corner}_{parent}"
        if entry.get("type") != kind or entry.get("parent") != parent:
            raise ConfigError(self.file, key, [entry.get("type"), entry.get("parent")], f"a {kind} joint on {parent}")
        if count == 0:
            if entry.get("axes", []) != []:
                raise ConfigError(self.file, f"{key}.axes", entry["axes"], f"no axes for a {kind} joint")
            return np.zeros((0, 3))
        axes = numbers(entry.get("axes"), (count, 3), self.file, f"{key}.axes")
        lengths = np.linalg.norm(axes, axis=1)
        if np.abs(lengths - 1.0).max() > UNIT:
            raise ConfigError(self.file, f"{key}.axes", axes.tolist(), "unit vectors")
        return axes / lengths[:, None]

    def along(self, joints: Mapping[str, JointFormat], corner: str, body: str, line: NDArray[np.float64], what: str) -> None:
        """Check that the single axis of a joint is parallel to a line."""
        axis = self.axes(joints, corner, body)[0]
        if np.linalg.norm(np.cross(axis, line)) > UNIT * np.linalg.norm(line):
            raise ConfigError(self.file, self.entry("joints", f"{corner}_{body}")[0] + ".axes", axis.tolist(), f"an axis along {what}")

    def across(self, joints: Mapping[str, JointFormat], corner: str, body: str, rod: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return both axes (2, 3) of the universal joint of a rod. The second must be perpendicular to the first and to the rod."""
        first, second = self.axes(joints, corner, body)
        if abs(np.dot(first, second)) > UNIT or abs(np.dot(second, rod)) > UNIT * np.linalg.norm(rod):
            key = self.entry("joints", f"{corner}_{body}")[0] + ".axes"
            raise ConfigError(self.file, key, [first.tolist(), second.tolist()], "a second axis perpendicular to the first and to the rod")
        return np.stack([first, second])

    def between(self, section: str, name: str, **bodies: str) -> None:
        """Check that an entry connects these bodies, by the fields that name them."""
        key, entry = self.entry(section, name)
        for field, body in bodies.items():
            if entry.get(field) != body:
                raise ConfigError(self.file, f"{key}.{field}", entry.get(field), f"{body!r}")
