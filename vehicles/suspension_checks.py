"""Checks of a linkage: it must close over its travel and at every lock of the steering, turn to the correct side, and move.

Each check raises ConfigError with the hardpoints of a faulty axle. `which` (wheels,) marks the corners with a closed form; other corners
are not checked.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, raise_all
from vehicles.mechanism_parameters import MechanismParameters, new_workspace
from vehicles.steering.contract import RACK
from vehicles.suspension.composite_inertia import prepare
from vehicles.travel_limits import QUICKER, TravelScanner, quickest_steering

TRAVEL = (-0.05, 0.0, 0.05)
"""rad, m. Thetas about the design position in which every corner must close, also at full lock to both sides."""

SENSE_LOCK = 0.05
"""Fraction of full lock at which the sense of the steering is checked."""

STRAIGHT = 1e-6
"""rad. Wheels that turn by less are not steered."""

CLOSED = 1e-6
"""m. A loop with a larger gap does not close."""

BEYOND_STOPS = 0.02
"""m. Spring length beyond bump and rebound stop up to which a corner with a known limit must close."""


def check_travel(scanner: TravelScanner, file: str, which: NDArray[np.bool_]) -> None:
    """Check that every corner in `which` (wheels,) closes at the TRAVEL of its theta, steered corners also at full lock to both sides. Raises
    ConfigError."""
    looks = [(end, theta) for end in (-1.0, 0.0, 1.0) for theta in TRAVEL]
    ends, thetas = np.array(looks).T
    mechanism = scanner.mechanism
    seen = scanner.scan(thetas, ends * scanner.steering[0]["max_arm_angle"])
    closed = np.isfinite(seen["center"]).all(axis=1) & (seen["gap"] < CLOSED) | ~which
    open_at: dict[int, str] = {}
    for n, i in np.argwhere(~closed):
        end, theta = looks[n]
        open_at.setdefault(mechanism.axles.of(int(i)), f"arms at {theta:g} rad, steering at {end:g} of full lock: open")
    expected = "points whose linkage closes over the travel of arms and steering"
    raise_all([ConfigError(file, _hardpoints_of(mechanism, axle), at, expected) for axle, at in open_at.items()])


def check_sense(scanner: TravelScanner, file: str, which: NDArray[np.bool_]) -> None:
    """Check that the steered wheels in `which` (wheels,) turn to the same side as the steering wheel, or to the other side where the ratio of
    their axle is negative. Raises ConfigError."""
    mechanism, steering = scanner.mechanism, scanner.steering
    angles = SENSE_LOCK * np.array([-1.0, 1.0]) * steering[0]["max_arm_angle"]
    axles = scanner.scan(np.zeros(2), angles)["axle"]
    for p in steering:
        sides, axle = [p["corner"], p["corner"] + 1], mechanism.axles.of(int(p["corner"]))
        headings = np.arctan2(-axles[:, 0, sides], axles[:, 1, sides])
        turned = np.sign(p["ratio"]) * np.mean(headings[1] - headings[0])
        if not which[sides].all() or turned <= STRAIGHT:  # a positive arm angle turns the wheels to the right
            continue
        side = "right" if p["ratio"] > 0.0 else "left"
        expected = f"because now the {mechanism.axles.names[axle]} wheels turn to the {side} when the steering wheel turns to the left"
        if p["kind"] == RACK and axle == 0:
            sign = 1 if p["rack_travel"] < 0.0 else -1
            raise ConfigError(file, f"steering.{'rack' if p['by_wire'] else 'pinion'}_sign", sign, f"{-sign}, {expected}")
        raise ConfigError(
            file, _hardpoints_of(mechanism, axle), "tie rods on this side of the kingpins", f"them on the other side, {expected}"
        )


def check_reach(mechanism: MechanismParameters, file: str) -> None:
    """Check that a corner with known limits closes from stop to stop and beyond, or over the TRAVEL if it has no stops. Raises
    ConfigError."""
    reaches = {i: corner.reach(mechanism.corners, i).closes for i, corner in enumerate(mechanism.designs)}
    if not any(reaches.values()):
        return
    struts, w = mechanism.struts[0], new_workspace(mechanism)
    open_at: dict[int, tuple[str, str]] = {}
    for i, closes in reaches.items():
        for height, stop, sign in zip(closes or (), ("rebound", "bump"), (1.0, -1.0), strict=False):
            w.state[0]["theta"][i] = height
            prepare(mechanism.records, w)
            past = sign * (w.kinematics[0]["spring_length"][i] - struts[f"{stop}_stop_length"][i])
            enough = past > BEYOND_STOPS if struts["stop_points"][i] > 0 else abs(height) > TRAVEL[-1]
            if not enough:
                expected = f"points whose links close up to the {stop} stop and beyond"
                open_at.setdefault(mechanism.axles.of(i), (f"wheel {height:g} m from its design height: open", expected))
    raise_all([ConfigError(file, _hardpoints_of(mechanism, axle), *words) for axle, words in open_at.items()])


def check_ends(scanner: TravelScanner, file: str, which: NDArray[np.bool_]) -> None:
    """Check that every corner in `which` (wheels,) has a travel, also at full lock. Raises ConfigError."""
    mechanism = scanner.mechanism
    stuck = (np.abs(mechanism.corners[0]["ends"]["closed"]).min(axis=0) == 0.0) & which
    for axle in sorted({mechanism.axles.of(int(i)) for i in np.flatnonzero(stuck)}):
        expected = "a linkage that moves; "
        if mechanism.axles.on(axle)[0] in scanner.steering["corner"]:
            quicker, largest = quickest_steering(scanner, which), float(scanner.steering[0]["max_arm_angle"])
            expected += f"at full lock its wheels turn {quicker:.1f} times as quickly as straight ahead, close to the toggle position"
            expected += f" of the tie rod; at most {QUICKER:g} times. Reduce the travel of rack or steering arm (now {largest:.4g} rad of arm or pinion)"
        else:
            expected += "its design position is close to a toggle position"
        raise ConfigError(file, _hardpoints_of(mechanism, axle), "no travel", expected)


def _hardpoints_of(mechanism: MechanismParameters, axle: int) -> str:
    """Return the key path of the hardpoints of an axle."""
    return f"axles.{mechanism.axles.names[axle]}.hardpoints_left"
