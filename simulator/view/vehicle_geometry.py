"""Geometry of the drawn suspension links: points fixed to the chassis, and bars between these and the points of a state. No OpenGL here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.records import Record
from simulator.view.bodies.body_mesh import mesh_of
from vehicles.appearance import BEAM_ON_LEAVES, BEAM_ON_LINKS, DRAWN_AS, LINKS_AS
from vehicles.axle_layout import WHEELS

GEOMETRY = (
    # name               shape    description
    ("lca_front_B", (WHEELS, 3), "front bush of the lower arm"),
    ("lca_rear_B", (WHEELS, 3), "rear bush of the lower arm"),
    ("uca_front_B", (WHEELS, 3), "front bush of the upper arm"),
    ("uca_rear_B", (WHEELS, 3), "rear bush of the upper arm"),
    ("shock_upper_B", (WHEELS, 3), "upper end of the shock absorber"),
    ("spring_upper_B", (WHEELS, 3), "upper end of the spring"),
    ("tire_radius", (WHEELS,), "unloaded radii of the tires"),
    ("tire_width", (WHEELS,), "widths of the tires"),
    ("p_BH", (3,), "position of the driver's head"),
    ("wheel_x", (WHEELS,), "x of the wheel centers in the design position"),
    ("wheel_z", (WHEELS,), "z of the wheel centers in the design position"),
    ("driven", (WHEELS,), "1 for a driven wheel, with a half shaft"),
    ("geared_hub", (WHEELS,), "1 for a geared hub, with the half shaft above the wheel center"),
    ("outline", (3,), "length, width and front overhang of the body"),
    ("behind", (), "length of the trailers behind the body, in line; 0: none"),
    ("governed_speed", (), "engine speed with zero torque, rad/s"),
    ("by_hand", (), "1 for a manual transmission"),
    ("motor_power", (), "largest power of all electric motors, W; 0 for an engine"),
    ("platform_joints", (2, 6, 3), "joints of the legs in the base frame of the motion platform, and in the platform; zeros: none"),
    ("platform_height", (), "height of the platform above its base frame at rest"),
    ("exhaust", (), "smoke of the engine: 0 none, 1 spark ignition, 2 compression ignition"),
)
"""Points fixed to the chassis, m, in B, corners from the front, left before right; and vehicle data for the instruments."""
TEXTS = (
    ("drawn_as", (), DRAWN_AS, "name of the drawn body"),
    ("links_as", (WHEELS,), LINKS_AS, "kind of the drawn links of each corner"),
)
"""Texts of the geometry, with their possible values."""
MESH = "mesh"
"""Name of the text of the mesh that is drawn in place of the body shape; it may be missing."""

LOWER, UPPER, ROD, HUB, COIL, DAMPER, PISTON, SHAFT = (
    (54, 110, 168), (66, 150, 140), (206, 152, 50), (140, 142, 146), (214, 66, 48), (70, 74, 84), (190, 194, 200), (112, 112, 116)
)  # fmt: skip


def checked_geometry(geometry: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Return the rows of `GEOMETRY` as float arrays and those of `TEXTS` as strings. Raises ConfigError for a missing or misshapen row."""
    out: dict[str, NDArray[Any]] = {}
    wheels = np.shape(geometry.get("tire_radius", ()))
    for name, usual, meaning in GEOMETRY:
        shape = tuple(wheels[0] if n is WHEELS and wheels else int(n) for n in usual)
        if name not in geometry:
            raise ConfigError("vehicle geometry of the view", name, "nothing", f"an array of shape {shape}: {meaning}")
        value = np.asarray(geometry[name], float)
        if value.shape != shape or not np.isfinite(value).all():
            raise ConfigError("vehicle geometry of the view", name, value.tolist(), f"finite numbers of shape {shape}: {meaning}")
        out[name] = value
    for name, usual, known, meaning in TEXTS:
        shape = tuple(wheels[0] if n is WHEELS and wheels else int(n) for n in usual)
        words = np.asarray(geometry.get(name, ""))
        if words.shape != shape or not np.isin(words, known).all():
            raise ConfigError(
                "vehicle geometry of the view", name, words.tolist(), f"{meaning}, one of {', '.join(known)} in shape {shape}"
            )
        out[name] = words
    out[MESH] = np.asarray(geometry.get(MESH, ""), str)
    try:
        mesh_of(str(out[MESH]))
    except ValueError as error:
        raise ConfigError("vehicle geometry of the view", MESH, str(error), "the text of `simulator.view.bodies.body_mesh`") from None
    return out


def bars(geometry: Mapping[str, NDArray[Any]], state: Record) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return bars (n, 11) and springs (wheels, 11): [first end (3), radius, second end (3), radius of the helix, sRGB (3)], all in B.

    state: record with the fields of `READOUT`.
    """
    s, g = state[0], geometry
    hub = s["p_BK"]
    out = s["R_BK"][:, :, 1] * np.where(hub[:, 1:2] < 0.0, -1.0, 1.0)
    inboard = hub - 0.13 * out
    above = np.where(g["geared_hub"] > 0.0, GEARED_HUB, FINAL_DRIVE)
    diff = np.column_stack((g["wheel_x"], np.sign(hub[:, 1]) * 0.18, g["wheel_z"] + above))
    shafts = (g["driven"] > 0.0) & ~np.isin(g["links_as"], (BEAM_ON_LINKS, BEAM_ON_LEAVES))
    rows = [_rows(((inboard, hub, 0.075, HUB),), slice(None)), _rows(((diff, inboard, 0.022, SHAFT),), shafts)]
    for kind, parts in _LINKS.items():
        these = g["links_as"] == kind
        if these.any():
            rows.append(_rows(parts(g, s, inboard), these))
    rows.append(_rows(((s["tierod_inner_B"][:1], s["tierod_inner_B"][1:2], 0.018, ROD),), slice(None)))
    springs = np.empty((len(hub), 11), np.float32)
    springs[:, :3], springs[:, 3], springs[:, 4:7], springs[:, 7] = s["spring_lower_B"], 0.012, g["spring_upper_B"], 0.068
    springs[:, 8:] = np.divide(COIL, 255.0)
    springs[g["links_as"] == BEAM_ON_LEAVES, 3] = springs[g["links_as"] == BEAM_ON_LEAVES, 7] = 0.0
    return np.vstack(rows), springs


_Parts = tuple[tuple[NDArray[np.float64], NDArray[np.float64], float, tuple[int, int, int]], ...]
"""First ends (n, 3), second ends (n, 3), radius and color."""


def _rows(parts: _Parts, which: Any) -> NDArray[np.float32]:
    """Return the bars (n, 11) of the corners in `which`."""
    rows = []
    for start, end, radius, color in parts:
        row = np.empty((len(start[which]), 11), np.float32)
        row[:, :3], row[:, 3], row[:, 4:7], row[:, 7], row[:, 8:] = start[which], radius, end[which], 0.0, np.divide(color, 255.0)
        rows.append(row)
    return np.vstack(rows)


def _arms(g: Mapping[str, NDArray[Any]], s: Any, inboard: NDArray[np.float64]) -> _Parts:
    """Return lower and upper arm, knuckle, tie rod, and a shock absorber on the lower arm."""
    lower, upper = s["lower_ball_B"], s["upper_ball_B"]
    return (
        *_lower_arm(g, lower), *_tie_rod(s, 0.5 * (lower + inboard)), *_shock(g, s, 0.20),
        (g["uca_front_B"], upper, 0.018, UPPER), (g["uca_rear_B"], upper, 0.018, UPPER), (g["uca_front_B"], g["uca_rear_B"], 0.014, UPPER),
        (lower, upper, 0.034, HUB), (lower, lower, 0.042, HUB), (upper, upper, 0.036, HUB),
        (0.5 * (g["lca_front_B"] + g["lca_rear_B"]), s["spring_lower_B"], 0.030, LOWER),
        (s["spring_lower_B"], 0.5 * (lower + s["spring_lower_B"]), 0.030, LOWER),
    )  # fmt: skip


def _strut(g: Mapping[str, NDArray[Any]], s: Any, inboard: NDArray[np.float64]) -> _Parts:
    """Return lower arm, knuckle with the tube of the strut, strut rod up to the mount, tie rod."""
    lower, foot, top = s["lower_ball_B"], s["shock_lower_B"], g["shock_upper_B"]
    return (
        *_lower_arm(g, lower), *_tie_rod(s, inboard),
        (lower, inboard, 0.030, HUB), (inboard, foot, 0.034, HUB), (lower, lower, 0.036, HUB),
        (foot, foot + 0.55 * (top - foot), 0.030, DAMPER), (foot, top, 0.012, PISTON), (top, top, 0.050, DAMPER),
    )  # fmt: skip


def _trailing_arm_with_kingpin(g: Mapping[str, NDArray[Any]], s: Any, inboard: NDArray[np.float64]) -> _Parts:
    """Return the arm from its hinge to the kingpin, and the knuckle with its tie rod."""
    outer, inner, seat, lower, upper = g["lca_front_B"], g["lca_rear_B"], s["spring_lower_B"], s["lower_ball_B"], s["upper_ball_B"]
    middle = 0.5 * (lower + upper)
    return (
        *_shock(g, s, 0.14), *_tie_rod(s, inboard),
        (outer, middle, 0.036, LOWER), (inner, middle, 0.030, LOWER), (outer, inner, 0.024, LOWER),
        (outer, outer, 0.044, DAMPER), (inner, inner, 0.044, DAMPER), (lower, upper, 0.026, HUB), (middle, inboard, 0.034, HUB),
        (seat, seat + 0.4 * (middle - seat), 0.034, LOWER), (seat, 0.5 * (outer + inner), 0.026, LOWER), (s["shock_lower_B"], middle, 0.020, LOWER),
    )  # fmt: skip


def _trailing_arm(g: Mapping[str, NDArray[Any]], s: Any, inboard: NDArray[np.float64]) -> _Parts:
    """Return the arm from its hinge to the wheel, with the spring seat."""
    outer, inner, seat = g["lca_front_B"], g["lca_rear_B"], s["spring_lower_B"]
    return (
        *_shock(g, s, 0.14),
        (outer, inboard, 0.036, LOWER), (inner, inboard, 0.030, LOWER), (outer, inner, 0.024, LOWER),
        (outer, outer, 0.044, DAMPER), (inner, inner, 0.044, DAMPER),
        (seat, seat + 0.4 * (inboard - seat), 0.034, LOWER), (seat, 0.5 * (outer + inner), 0.026, LOWER), (s["shock_lower_B"], inboard, 0.020, LOWER),
    )  # fmt: skip


def _beam(s: Any, inboard: NDArray[np.float64]) -> tuple[NDArray[np.float64], _Parts]:
    """Return the middle of the beam for each corner (n, 3), and the beam with its final drive."""
    hub = s["p_BK"]
    other = np.clip(np.arange(len(hub)) + np.where(hub[:, 1] > 0.0, 1, -1), 0, len(hub) - 1)
    middle = 0.5 * (hub + hub[other])
    return middle, ((middle, inboard, 0.042, SHAFT), (middle, middle + [0.12, 0.0, 0.0], 0.11, SHAFT))


def _on_beam(point: NDArray[np.float64], middle: NDArray[np.float64], hub: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the points of the beams at the lateral positions of points (n, 3)."""
    half = hub - middle
    share = (point - middle)[:, 1:2] / np.where(np.abs(half[:, 1:2]) > 1e-3, half[:, 1:2], 1.0)
    return np.asarray(middle + share * half)


def _beam_on_links(g: Mapping[str, NDArray[Any]], s: Any, inboard: NDArray[np.float64]) -> _Parts:
    """Return a beam, its lower and upper links, the fourth rod (a Panhard rod or an upper link), and the brackets of links and spring."""
    middle, beam = _beam(s, inboard)
    lower, upper, last, seat = s["lower_ball_B"], s["upper_ball_B"], s["tierod_outer_B"], s["spring_lower_B"]
    brackets = tuple((end, _on_beam(end, middle, s["p_BK"]), 0.024, SHAFT) for end in (lower, upper, last, seat))
    return (
        *beam, *brackets, *_shock(g, s, 0.20), (g["lca_front_B"], lower, 0.026, LOWER), (g["uca_front_B"], upper, 0.018, UPPER),
        (s["tierod_inner_B"], last, 0.018, ROD),
    )  # fmt: skip


def _beam_on_leaves(g: Mapping[str, NDArray[Any]], s: Any, inboard: NDArray[np.float64]) -> _Parts:
    """Return a beam and its leaf springs: packs of three leaves from eye to seat to eye, each leaf a band of three bars."""
    middle, beam = _beam(s, inboard)
    seat = s["spring_lower_B"]
    brackets = (seat, _on_beam(seat, middle, s["p_BK"]), 0.034, SHAFT)
    leaves = tuple(
        (seat + np.add(side, under), seat + np.add(side, under) + length * (g[eye] - seat), 0.010, LOWER)
        for under, length in (((0.0, 0.0, -0.019 * k), 1.0 - 0.26 * k) for k in range(3))
        for side in ((0.0, -0.02, 0.0), (0.0, 0.0, 0.0), (0.0, 0.02, 0.0))
        for eye in ("lca_front_B", "lca_rear_B")
    )
    return (
        *beam, brackets, *_shock(g, s, 0.20), *leaves, (seat, seat + [0.0, 0.0, -0.045], 0.036, SHAFT),
        (g["lca_front_B"], g["lca_front_B"], 0.034, LOWER), (g["lca_rear_B"], g["lca_rear_B"], 0.034, LOWER),
    )  # fmt: skip


FINAL_DRIVE, GEARED_HUB = 0.03, 0.146
"""m. Height of the drawn final drives above the wheel centers: without, and with gears in the hubs."""
_LINKS = {
    "arms": _arms, "strut": _strut, "trailing_arm": _trailing_arm, "trailing_arm_with_kingpin": _trailing_arm_with_kingpin,
    BEAM_ON_LINKS: _beam_on_links, BEAM_ON_LEAVES: _beam_on_leaves,
}  # fmt: skip


def _lower_arm(g: Mapping[str, NDArray[Any]], ball: NDArray[np.float64]) -> _Parts:
    front, rear = g["lca_front_B"], g["lca_rear_B"]
    return (front, ball, 0.026, LOWER), (rear, ball, 0.026, LOWER), (front, rear, 0.020, LOWER)


def _tie_rod(s: Any, knuckle: NDArray[np.float64]) -> _Parts:
    inner, outer = s["tierod_inner_B"], s["tierod_outer_B"]
    return (inner, outer, 0.015, ROD), (outer, outer, 0.026, ROD), (inner, inner, 0.026, ROD), (outer, knuckle, 0.020, HUB)


def _shock(g: Mapping[str, NDArray[Any]], s: Any, body: float) -> _Parts:
    """Return a shock absorber with a body of the given length [m]."""
    low, high = s["shock_lower_B"], g["shock_upper_B"]
    along = (high - low) / np.maximum(np.linalg.norm(high - low, axis=1, keepdims=True), 1e-9)
    return (low, low + body * along, 0.034, DAMPER), (low, high, 0.014, PISTON), (high, high, 0.030, DAMPER)
