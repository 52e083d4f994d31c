"""What a linkage has to do before a vehicle may have it: close over its travel and at every lock of the steering, turn to the right side, and move.

Each raises ConfigError with the hardpoints of the axle that does not. `which` (wheels,) says which corners are in closed form; nothing is known of the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, raise_all
from vehicles.mechanism_parameters import MechanismParameters, new_workspace
from vehicles.suspension.composite_inertia import prepare
from vehicles.travel_limits import QUICKER, TravelScanner, quickest_steering

TRAVEL = (-0.05, 0.0, 0.05)
"""rad, m. Thetas about the design position in which every corner must close, at both ends of the steering too."""

SHARE_OF_LOCK = 0.05
"""Share of full lock at which it is looked to which side the wheels turn."""

STRAIGHT = 1e-6
"""rad. Wheels that turn by less are not steered."""

CLOSED = 1e-6
"""m. Loops that are open by more do not close there."""

BEYOND_STOPS = 0.02
"""m. Length of a spring beyond bump and rebound stop up to which a corner must close that is known to end somewhere."""


def check_travel(looker: TravelScanner, file: str, which: NDArray[np.bool_]) -> None:
    """Every corner of those in `which` (wheels,) must close at the TRAVEL of its theta, the front ones at both ends of the steering too. Raises
    ConfigError."""
    looks = [(end, theta) for end in (-1.0, 0.0, 1.0) for theta in TRAVEL]
    ends, thetas = np.array(looks).T
    mechanism = looker.mechanism
    seen = looker.look(thetas, ends * looker.steering[0]["max_arm_angle"])
    closed = np.isfinite(seen["center"]).all(axis=1) & (seen["gap"] < CLOSED) | ~which
    open_at: dict[int, str] = {}
    for n, i in np.argwhere(~closed):
        end, theta = looks[n]
        open_at.setdefault(mechanism.axles.of(int(i)), f"arms at {theta:g} rad, steering at {end:g} of full lock: open")
    expected = "points whose linkage closes over the travel of arms and steering"
    raise_all([ConfigError(file, _hardpoints_of(mechanism, axle), at, expected) for axle, at in open_at.items()])


def check_sense(looker: TravelScanner, file: str, which: NDArray[np.bool_]) -> None:
    """The front wheels, where `which` (wheels,) says so, must turn to the side of the steering wheel. Raises ConfigError."""
    mechanism, steering = looker.mechanism, looker.steering
    front, angles = list(mechanism.axles.on(0)), SHARE_OF_LOCK * np.array([-1.0, 1.0]) * steering[0]["max_arm_angle"]
    axles = looker.look(np.zeros(2), angles)["axle"][:, :, front]
    headings = np.arctan2(-axles[:, 0], axles[:, 1])
    if which[front].all() and np.mean(headings[1] - headings[0]) > STRAIGHT:  # the angle of the arm is positive where it turns to the right
        travel, expected = (
            float(steering[0]["rack_travel"]),
            "the other side: as it is, turning the steering wheel to the left turns the front wheels to the right",
        )
        if travel != 0.0:
            sign = 1 if travel < 0.0 else -1
            raise ConfigError(file, "steering.pinion_sign", sign, f"{-sign}, {expected}")
        raise ConfigError(file, _hardpoints_of(mechanism, 0), "tie rods on this side of the kingpins", f"them on {expected}")


def check_reach(mechanism: MechanismParameters, file: str) -> None:
    """A corner that closes up to known ends must do so from stop to stop and a bit beyond, or at the TRAVEL if it has no stops. Raises
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


def check_ends(looker: TravelScanner, file: str, which: NDArray[np.bool_]) -> None:
    """Every corner of those in `which` (wheels,) must have a travel, with the wheels turned to the full lock too. Raises ConfigError."""
    mechanism = looker.mechanism
    stuck = (np.abs(mechanism.corners[0]["ends"]["closed"]).min(axis=0) == 0.0) & which
    for axle in sorted({mechanism.axles.of(int(i)) for i in np.flatnonzero(stuck)}):
        expected = "a linkage that moves: "
        if axle == 0:
            quicker, largest = quickest_steering(looker, which), float(looker.steering[0]["max_arm_angle"])
            expected += (
                f"at the full lock of the steering its wheels turn {quicker:.1f} times as quickly as straight ahead, near the position"
            )
            expected += f" where the tie rod turns over; at most {QUICKER:g} times. Less travel of rack or steering arm helps ({largest:.4g} rad of arm or pinion now)"
        else:
            expected += "in its design position it is about to turn over"
        raise ConfigError(file, _hardpoints_of(mechanism, axle), "no travel", expected)


def _hardpoints_of(mechanism: MechanismParameters, axle: int) -> str:
    """Key path of the hardpoints of an axle."""
    return f"axles.{mechanism.axles.names[axle]}.hardpoints_left"
