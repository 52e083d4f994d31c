"""Comparison of the corner kinematics of a vehicle with reference positions and motions (`jounce validate kinematics FILE`).

There are three formats: JSON with ``{"states": [...]}``, every state with axle, theta, delta and their rates and accelerations; CSV with
one position in a row (the axle is an option, or part of the file name); and CSV with curves over the wheel travel (`corner_kinematics`).
The first two refer to the left corner of a double wishbone, in the suspension frame of the axle. Inputs are axle, theta, delta and their
derivatives.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError, UnreadableError
from simulator.base.inputfile import checked_size
from simulator.base.npy_reader import read_json
from simulator.base.records import numbers, record
from simulator.base.table_text import read_table_text
from simulator.validation.reference.corner_accelerations import MacPhersonMotions
from simulator.validation.reference.corner_kinematics import CornerCurves, compared_columns
from simulator.validation.reference.result import Comparison, relative_error
from vehicles.description import Description
from vehicles.mechanism_parameters import new_workspace
from vehicles.steering.steering import STEERING_STATE, place_tierods
from vehicles.suspension.blocks import place_blocks
from vehicles.suspension.default_kind import SCRATCH, kind_module
from vehicles.suspension.hard_stops import no_ends

CARRIER = kind_module("kinematics").CARRIER

LIMIT = 1e-12
MAX_BYTES = 1 << 28
"""Maximum size of a reference file in bytes."""
INPUTS = ("theta", "delta", "theta_dot", "delta_dot", "theta_ddot", "delta_ddot")
AXLES = {"front": 0, "rear": 2}

STATE_OUTPUTS = {
    "phi": (), "phi_dot": (), "phi_ddot": (), "wheel": (3,), "R": (3, 3), "wheel_v": (3,), "wheel_a": (3,), "omega": (3,), "alpha": (3,),
    "shock": (), "shock_dot": (), "shock_ddot": (),
}  # fmt: skip
COLUMNS = {
    "W": ("Wx", "Wy", "Wz"),
    "R": tuple(f"R{i}{j}" for i in range(3) for j in range(3)),
    "phi": ("phi",),
    "shock": ("shock",),
    "spring": ("spring",),
    "PU": ("PUx", "PUy", "PUz"),
    "T": ("Tx", "Ty", "Tz"),
    "Q": ("Qx", "Qy", "Qz"),
}


def compare_kinematics(file: str, vehicle: Description, axle: str | None) -> Comparison:
    """Evaluate the left corners of the vehicle at every state of `file` and compare all quantities in the file.

    Raises
    ------
    ConfigError : the file cannot be read, its axle is unknown, an input is missing or not a number, or the axle of the vehicle is of
        another kind
    """
    path = Path(file)
    checked_size(path, "a file", MAX_BYTES)
    if path.suffix == ".json":
        return _compare_states(path, _left_corner(vehicle), axle)
    if path.suffix == ".csv":
        which, rows = _axle(path, axle), _rows(path)
        return (
            _compare_curves(path, vehicle, which, rows) if "travel" in rows[0] else _compare_rows(path, _left_corner(vehicle), which, rows)
        )
    raise ConfigError(file, "", path.suffix, "a .json or .csv file")


def _left_corner(vehicle: Description) -> LeftCorner:
    """Return the left corners of a vehicle. Raises ConfigError: an axle is not a double wishbone."""
    _ = vehicle.design.corners_of(kind_module("corner").CORNER)
    return LeftCorner(vehicle)


class LeftCorner:
    """Position, velocity and acceleration of the left corners of a vehicle, in their suspension frames."""

    def __init__(self, vehicle: Description) -> None:
        self.vehicle = vehicle
        self.space = new_workspace(vehicle.mechanism)
        self.steering = record(STEERING_STATE)
        self.corners = vehicle.mechanism.corners.copy()
        self.corners[0]["ends"] = no_ends()[0]

    def __call__(self, axle: str, theta: float, delta: float, rates: Sequence[float] = (0.0, 0.0, 0.0, 0.0)) -> dict[str, Any]:
        """Return the quantities at the lower-arm angle theta and Pitman-arm angle delta; rates: theta', delta', theta'', delta''."""
        i = AXLES[axle]
        q, k, scratch = self.space.inputs, self.space.kinematics, self.space.blocks.scratch
        theta_dot, delta_dot, theta_ddot, delta_ddot = rates
        self.steering[0]["angle"], self.steering[0]["rate"], self.steering[0]["acceleration"] = delta, delta_dot, delta_ddot
        q[0]["theta"], q[0]["theta_dot"] = 0.0, 0.0
        q[0]["theta"][i], q[0]["theta_dot"][i] = theta, theta_dot
        place_tierods(self.vehicle.steering, self.steering, q)
        place_blocks(self.corners, self.space.blocks, q, k)
        o = {name: scratch[0][name][..., i] for name, *_ in SCRATCH}
        p = {name: k[0][name][..., i] for name in ("W", "shock_length", "shock_length_1", "spring_length")}
        origin = 0.5 * (self.vehicle.bushes["lca_front_B"][i] + self.vehicle.bushes["lca_rear_B"][i]) * [1.0, 0.0, 1.0]
        W, omega = p["W"], o["w_rel"][CARRIER]
        alpha = o["alpha_rel"][CARRIER] + o["w"][CARRIER] * theta_ddot
        r = W - o["c"][CARRIER]
        a = o["a_rel"][CARRIER] + o["u"][CARRIER] * theta_ddot
        wheel = W - origin
        return {
            "phi": np.arctan2(o["sin_phi"], o["cos_phi"]),
            "phi_dot": o["phi_1"] * theta_dot,
            "phi_ddot": o["phi_1"] * theta_ddot + o["phi_2"] * theta_dot**2,
            "wheel": wheel,
            "W": wheel,
            "R": self._turn(i, o),
            "wheel_v": o["v_rel"][CARRIER] + np.cross(omega, r),
            "wheel_a": a + np.cross(alpha, r) + np.cross(omega, np.cross(omega, r)),
            "omega": omega.copy(),
            "alpha": alpha,
            "shock": p["shock_length"],
            "shock_dot": p["shock_length_1"] * theta_dot,
            "shock_ddot": p["shock_length_1"] * theta_ddot + o["shock_length_2"] * theta_dot**2,
            "spring": p["spring_length"],
            "PU": o["F"] - origin,
            "T": o["K"] - origin,
            "Q": q[0]["Q"][:, i] - origin,
        }

    def _turn(self, i: int, o: dict[str, Array]) -> Array:
        """Return the rotation of the carrier from its design position, from the frame of kingpin and steering arm."""
        frame = np.column_stack([o["arm"], np.cross(o["kingpin"], o["arm"]), o["kingpin"]])
        design = new_workspace(self.vehicle.mechanism)
        place_blocks(self.corners, design.blocks, design.inputs, design.kinematics)
        n, arm = design.blocks.scratch[0]["kingpin"][:, i], design.blocks.scratch[0]["arm"][:, i]
        return frame @ np.column_stack([arm, np.cross(n, arm), n]).T


def _compare_states(path: Path, corner: LeftCorner, axle: str | None) -> Comparison:
    content = read_json(path, "a JSON file", MAX_BYTES)
    states = content.get("states") if isinstance(content, dict) else None
    if not isinstance(states, list) or not states:
        raise ConfigError(path, "states", states, "a list of states")
    errors: dict[str, float] = {}
    for n, state in enumerate(states):
        key = f"states[{n}]"
        if not isinstance(state, dict):
            raise ConfigError(path, key, state, "a mapping")
        which = state.get("axle", axle)
        if not isinstance(which, str) or which not in AXLES:
            raise ConfigError(path, f"{key}.axle", which, "front or rear")
        values = [float(numbers(state.get(name), (), path, f"{key}.{name}")) for name in INPUTS]
        ours = corner(which, values[0], values[1], values[2:])
        _collect(errors, {name: ours[name] for name in STATE_OUTPUTS if name in state}, state, path, key)
    if not errors:
        raise ConfigError(path, "states[0]", sorted(states[0]), "at least one of " + ", ".join(STATE_OUTPUTS))
    return Comparison(str(path), "kinematics with rates", len(states), errors, LIMIT)


def _axle(path: Path, axle: str | None) -> str:
    which = axle or next((name for name in AXLES if name in path.stem.lower()), None)
    if which not in AXLES:
        raise ConfigError(path, "--axle", which, "front or rear, here or in the file name")
    return which


def _rows(path: Path) -> list[dict[str, float]]:
    """Return the numbers of a table by the names in its header."""
    try:
        rows = list(csv.DictReader(read_table_text(path, "a CSV file", MAX_BYTES).splitlines()))
    except csv.Error as error:
        raise UnreadableError(path, "", str(error), "a CSV file") from None
    if not rows:
        raise ConfigError(path, "", "no rows", "a header line and at least one row")
    compared = []
    for n, row in enumerate(rows):
        key = f"row {n + 1}"
        if None in row:
            raise ConfigError(path, key, f"{len(row) - 1 + len(row[None])} cells", f"{len(row) - 1} cells, as in the header line")
        compared.append({name: _cell(text, path, f"{key}.{name}") for name, text in row.items()})
    return compared


def _compare_curves(path: Path, vehicle: Description, axle: str, rows: list[dict[str, float]]) -> Comparison:
    curves = CornerCurves(vehicle, AXLES[axle])
    names = compared_columns(list(rows[0]), curves.steered, isinstance(curves.motion, MacPhersonMotions), path)
    if curves.steered and "rack" not in rows[0]:
        raise ConfigError(path, "rack", "nothing", "a column, since this axle is steered")
    errors = dict.fromkeys(names, 0.0)
    for n, row in enumerate(rows):
        ours = curves(row["travel"], row.get("rack", 0.0), names)
        if ours is None:
            raise ConfigError(path, f"row {n + 1}.travel", row["travel"], "a wheel travel in m within the range of the suspension")
        for name in names:
            errors[name] = max(errors[name], relative_error(ours[name], row[name]))
    return Comparison(str(path), f"{axle} curves over the travel", len(rows), errors, LIMIT)


def _compare_rows(path: Path, corner: LeftCorner, which: str, rows: list[dict[str, float]]) -> Comparison:
    errors: dict[str, float] = {}
    for n, cells in enumerate(rows):
        key = f"row {n + 1}"
        for name in ("theta", "delta"):
            if name not in cells:
                raise ConfigError(path, f"{key}.{name}", "nothing", "a number in rad")
        ours = corner(which, cells["theta"], cells["delta"])
        present = {name: columns for name, columns in COLUMNS.items() if all(c in cells for c in columns)}
        reference = {name: np.reshape([cells[c] for c in columns], np.shape(ours[name])) for name, columns in present.items()}
        _collect(errors, {name: ours[name] for name in present}, reference, path, key)
    if not errors:
        raise ConfigError(path, "", sorted(rows[0]), "at least one quantity to compare: " + ", ".join(COLUMNS))
    return Comparison(str(path), f"{which} kinematics", len(rows), errors, LIMIT)


def _cell(text: Any, path: Path, key: str) -> float:
    try:
        value = float(text)
    except (TypeError, ValueError):
        raise ConfigError(path, key, text, "a number") from None
    if not np.isfinite(value):
        raise ConfigError(path, key, text, "a finite number")
    return value


def _collect(errors: dict[str, float], ours: dict[str, Any], reference: dict[str, Any], path: Path, key: str) -> None:
    for name, value in ours.items():
        expected = numbers(_plain(reference[name]), np.shape(value), path, f"{key}.{name}")
        errors[name] = max(errors.get(name, 0.0), relative_error(value, expected))


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value
