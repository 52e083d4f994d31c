"""Names and units of the single coordinates of a mechanism, as its joints define them."""

from __future__ import annotations

from dataclasses import dataclass

from vehicles.multibody.mechanism import Joint
from vehicles.multibody.system import System

AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Coordinate:
    """A coordinate: its label (joint, and which one where the joint has several), its joint, its index in q or v, its unit (rad, m or 1)."""

    label: str
    joint: str
    index: int
    unit: str


def velocity_coordinates(system: System) -> tuple[Coordinate, ...]:
    """The n_v coordinates whose rates are v, joint by joint as in the file: `crank`, `cardan[0]`, `chassis.z`, `hip.rx`.

    The last is the turn of a spherical or free joint about x: of the child's axes if spherical, of the world's if free.
    """
    return _labelled(system, system.joint_v, _velocities)


def position_coordinates(system: System) -> tuple[Coordinate, ...]:
    """The n_q coordinates in q, joint by joint as in the file; those of quaternions are `hip.qw`, `hip.qx` ..."""
    return _labelled(system, system.joint_q, _positions)


def _labelled(system, places, parts) -> tuple[Coordinate, ...]:  # type: ignore[no-untyped-def]
    found = []
    for joint in system.mechanism.joints:
        start = places[joint.name].start if joint.name in places else 0
        for i, (suffix, unit) in enumerate(parts(joint)):
            found.append(Coordinate(joint.name + suffix, joint.name, start + i, unit))
    return tuple(found)


def _velocities(joint: Joint) -> list[tuple[str, str]]:
    turns, travels = [(f".r{axis}", "rad") for axis in AXES], [(f".{axis}", "m") for axis in AXES]
    return {"spherical": turns, "free": turns + travels}.get(joint.kind) or _scalars(joint)


def _positions(joint: Joint) -> list[tuple[str, str]]:
    quaternion, travels = [(f".q{part}", "1") for part in ("w", *AXES)], [(f".{axis}", "m") for axis in AXES]
    return {"spherical": quaternion, "free": travels + quaternion}.get(joint.kind) or _scalars(joint)


def _scalars(joint: Joint) -> list[tuple[str, str]]:
    return {"revolute": [("", "rad")], "prismatic": [("", "m")], "universal": [("[0]", "rad"), ("[1]", "rad")]}.get(joint.kind, [])
