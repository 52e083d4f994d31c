"""Comparison of a vehicle that follows recorded inputs with the recorded motion (`jounce validate trajectory FILE.csv.gz`).

The simulation uses time, steering, throttle and braking of the recording and its initial state; all other columns are only compared. The
run starts from rest at the spawn position of the recorded vehicle (design position, not in equilibrium), or at a start time from the
recorded state.

The report lists the known differences of Project Chrono in a line (`OF_CHRONO`); docs/trajectories.md gives their size.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError, JounceError
from simulator.base.jit import kernel
from simulator.base.output_target import output_path
from simulator.base.records import Record, record
from simulator.base.rotations import quaternion_of_rotation, rotation_of_euler
from simulator.report.plot import Axis, Panel, Plot, over_reference
from simulator.report.png_renderer import png
from simulator.telemetry.atomic_files import write_bytes
from simulator.validation.reference.recorded_drive import Recording
from simulator.validation.reference.result import Comparison
from terrain.ground import Ground
from vehicles.command import COMMAND
from vehicles.drivetrain.drivetrain import drivetrain_reset
from vehicles.stages import move_wheels, present_suspension
from vehicles.steering.steering import place_tierods
from vehicles.step import vehicle_step
from vehicles.tires.radial import effective_radius
from vehicles.vehicle import Vehicle

STEP = 1e-3
"""Maximum time step in s; an integer number of steps fits between two samples."""

LIMIT = 0.05
"""Limit of the error of the counted channels, set before the comparison."""

COUNTED = {"straight": ("vx", "engine_speed", "pitch"), "turning": ("vx", "wz", "ay", "roll"), "standing": ("z", "pitch")}
"""Counted channels by kind of maneuver. The errors of the other channels are ratios of small numbers."""

STEERED_FROM = 0.02
"""Steering input, as a fraction of the lock, above which a maneuver counts as turning. It is larger than the corrections of a driver on
a straight path."""

STANDING_BELOW = 1.0
"""Peak speed in m/s below which the vehicle counts as standing."""

OF_CHRONO = (
    "properties of Project Chrono that Jounce does not have (docs/trajectories.md): the reaction of the final drives acts on the chassis in the "
    "wrong direction; tires stiffen below 3 m/s; tire deflection and forces depend on camber"
)
"""Note in the report for a recording of Project Chrono."""

CORNERS = ("FL", "FR", "RL", "RR")
P_BODY_COM = np.array([0.056, 0.0, 0.213])
"""Center of mass of the recorded chassis body in m, in B, the reference point of vx..vz and ax..az of a recording."""


@dataclass(frozen=True)
class TrajectoryComparison(Comparison):
    """A comparison with a limit for the channels in `counted`, which depend on the kind of maneuver.

    steering : largest steering input of the compared samples, as a fraction of the lock
    contact_model : contact model of the tires in the recording, or None
    """

    maneuver: str = "straight"
    steering: float = 0.0
    contact_model: str | None = None
    counted: tuple[str, ...] = ()
    time: Array = field(default_factory=lambda: np.empty(0), repr=False)
    reference: dict[str, Array] = field(default_factory=dict, repr=False)
    ours: dict[str, Array] = field(default_factory=dict, repr=False)

    @property
    def max_error(self) -> float:
        """Largest error of the counted channels; NaN counts as infinite."""
        errors = [self.errors[name] for name in self.counted]
        return max((e if np.isfinite(e) else float("inf") for e in errors), default=float("inf"))

    def to_dict(self) -> dict[str, Any]:
        """Return the result for JSON."""
        about = {
            "maneuver": self.maneuver,
            "steering": self.steering,
            "counted": self.counted,
            "from": self.time[0],
            "to": self.time[-1],
            "contact_model": self.contact_model,
        }
        return super().to_dict() | about

    def to_text(self) -> str:
        """Return a text table: RMS difference over the peak of the reference, and both in the unit of the channel."""
        rows = []
        for name, error in self.errors.items():
            reference, ours = self.reference[name], self.ours[name]
            rms, peak = float(np.sqrt(np.mean((ours - reference) ** 2))), float(np.abs(reference).max())
            rows.append(f"  {'*' if name in self.counted else ' '} {name:<14} {100.0 * error:8.2f} %   rms {rms:10.4g}   peak {peak:10.4g}")
        kind = f"{self.kind}, {self.maneuver} (steering up to {self.steering:.2g})"
        head = f"{self.file}: {kind}, {self.states} samples from {self.time[0]:g} s to {self.time[-1]:g} s"
        verdict = "pass" if self.passed else "FAIL"
        largest = f"  * largest {100.0 * self.max_error:.2f} %, limit {100.0 * self.limit:g} %: {verdict}"
        return "\n".join([head, *rows, largest, *(f"  {note}" for note in self.notes)])


def compare_trajectory(
    recording: Recording, vehicle: Vehicle, start: float | None = None, end: float | None = None
) -> TrajectoryComparison:
    """Run `vehicle` with the recorded inputs and compare all channels of the recording, up to the sample at `end` [s] (None: the last).

    The error of a channel is the RMS difference over the peak of the reference, over the samples after `start`. If `start` is None, the
    run begins at rest with the first sample, and samples count from 1 s before the maneuver (all samples without a maneuver time).

    Raises
    ------
    ConfigError : start or end is outside the recording or encloses no samples, the ground is unknown, a column is missing, or there is
        no channel to compare
    """
    ground = recording.ground()
    first = recording.row(start) if start is not None else 0
    after = first + 1 if start is not None else max(recording.settled_row, 1)
    last = recording.last_row(end, after)
    if start is None:
        spawn(vehicle, recording)
    else:
        take_over(vehicle, recording, first)
    history = drive(vehicle, ground, recording, first, last)
    compared = range(after, last + 1)
    reference = {name: _continuous(name, recording.values(name, compared)) for name in CHANNELS if recording.has(name)}
    if not reference:
        raise ConfigError(recording.file, "columns", "no channel", "at least one of " + ", ".join(CHANNELS))
    ours = {name: _continuous(name, CHANNELS[name](history[after - first :])) for name in reference}
    errors = {name: channel_error(ours[name], reference[name]) for name in reference}
    steering = float(np.abs(recording.steering[after - 1 : last + 1]).max())
    maneuver = _maneuver(steering, reference)
    counted = tuple(name for name in COUNTED[maneuver] if name in reference) or tuple(reference)
    return TrajectoryComparison(
        file=recording.file,
        kind="trajectory",
        states=len(compared),
        errors=errors,
        limit=LIMIT,
        notes=_notes(recording),
        maneuver=maneuver,
        steering=steering,
        contact_model=recording.contact_model,
        counted=counted,
        time=recording.time[after : last + 1],
        reference=reference,
        ours=ours,
    )


def _maneuver(steering: float, reference: dict[str, Array]) -> str:
    """Return the kind of maneuver from the driver inputs, since a recorded ay may also come from bumps, slopes and locked wheels."""
    if "vx" in reference and np.abs(reference["vx"]).max() < STANDING_BELOW:
        return "standing"
    return "turning" if steering > STEERED_FROM else "straight"


def _notes(recording: Recording) -> tuple[str, ...]:
    """Return notes on the contact model of the recording and on the known differences of its source."""
    model = recording.contact_model
    if model is None:
        contact = f"not named in {recording.sidecar}; Jounce uses a single point"
    else:
        contact = model + (", as in Jounce" if model == "SINGLE_POINT" else "; Jounce uses a single point, which differs")
    return (f"contact model of the recording: {contact}", *((OF_CHRONO,) if recording.is_of_chrono else ()))


def _continuous(name: str, values: Array) -> Array:
    """Return the heading without jumps of full turns; other channels are returned unchanged."""
    return np.unwrap(values) if name == "yaw" else values


def channel_error(ours: Array, reference: Array) -> float:
    """Return the RMS difference over the peak of the reference; the RMS difference if the reference is zero."""
    peak = float(np.abs(reference).max())
    return float(np.sqrt(np.mean((ours - reference) ** 2))) / (peak if peak > 0.0 else 1.0)


def spawn(vehicle: Vehicle, recording: Recording) -> None:
    """Put the vehicle into the initial state of the recording: design position, springs not in equilibrium, first gear, engine at rest."""
    state = vehicle.space.state[0]
    vehicle.place(recording.p_WB, 0.0, 0.0, 0.0)
    state["q_WB"] = recording.q_WB
    state["v_WB_B"] = recording.v_WB_B
    state["wheel_spin"] = [recording.v_WB_B[0] / effective_radius(float(tire["radius"]), 0.0) for tire in vehicle.model.tires]
    _begin(vehicle, recording, 0)
    drivetrain_reset(vehicle.model.drivetrain, vehicle.space.drivetrain, state["wheel_spin"], 1)


def take_over(vehicle: Vehicle, recording: Recording, row: int) -> None:
    """Set the state of the vehicle to the state recorded in a row.

    Lower-arm angles and rates follow from shock lengths and rates by inverse kinematics, tread deflections from the recorded tire
    forces, and the turbine speed from the wheels. A gear change is possible at once, because the time of the last change is not
    recorded.

    Raises
    ------
    ConfigError : a column is missing, or a shock length cannot be reached
    """

    def values(*names: str) -> Array:
        return np.concatenate([recording.values(name, [row]) for name in names])

    if vehicle.tires.outside:
        raise JounceError("cannot set the state of a recording; expected tires of the type tmeasy")
    space, state = vehicle.space, vehicle.space.state[0]
    R = np.empty((3, 3))
    roll, pitch, yaw = values("roll", "pitch", "yaw")
    rotation_of_euler(roll, pitch, yaw, R)
    vehicle.place(values("x", "y", "z"), roll, pitch, yaw)
    quaternion_of_rotation(R, state["q_WB"])
    state["w_WB_B"] = values("wx", "wy", "wz")
    state["v_WB_B"] = values("vx", "vy", "vz") - np.cross(state["w_WB_B"], P_BODY_COM)
    state["wheel_spin"] = values(*(f"omega_{c}" for c in CORNERS))
    lengths, rates = values(*(f"shock_L_{c}" for c in CORNERS)), values(*(f"shock_V_{c}" for c in CORNERS))
    state["theta"] = arm_angles(vehicle, lengths, f"{recording.file}: t = {recording.time[row]:g} s")
    _begin(vehicle, recording, row)
    state["theta_dot"] = rates / space.kinematics[0]["shock_length_1"]
    _begin(vehicle, recording, row)  # a second time, because the rates move the wheels
    for axis, name in enumerate(("tire_Fx", "tire_Fy")):
        forces = values(*(f"{name}_{c}" for c in CORNERS))
        space.treads["numbers"][:, axis] = forces / vehicle.model.treads.tmeasy["tread_stiffness"][:, axis]

    gear, engine_speed = values("gear", "engine_speed")
    drivetrain_reset(vehicle.model.drivetrain, space.drivetrain, state["wheel_spin"], round(gear))
    space.drivetrain[0]["engine_speed"] = engine_speed
    space.drivetrain[0]["clock"] = vehicle.model.drivetrain[0]["shift_latency"]


def _begin(vehicle: Vehicle, recording: Recording, row: int) -> None:
    """Set the steering arm to its input, and compute the kinematics of corners and wheels."""
    m, s = vehicle.model, vehicle.space
    s.state[0]["time"] = recording.time[row]
    s.steering[0]["angle"] = -recording.steering[row] * m.steering[0]["max_arm_angle"]
    place_tierods(m.steering, s.steering, s.inputs)
    present_suspension(m, s)
    move_wheels(s)


def arm_angles(vehicle: Vehicle, lengths: Array, where: str) -> Array:
    """Return the lower-arm angles (4,) [rad] for given shock-absorber lengths (4,) [m], by Newton's method. Raises ConfigError."""
    m, s = vehicle.model, vehicle.space
    theta = s.state[0]["theta"]
    theta[:] = 0.0
    for _ in range(30):
        present_suspension(m, s)
        miss = lengths - s.kinematics[0]["shock_length"]
        if np.abs(miss).max() < 1e-12:
            return theta.copy()
        theta += np.clip(miss / s.kinematics[0]["shock_length_1"], -0.1, 0.1)
    raise ConfigError(where, "shock_L", lengths.tolist(), "shock-absorber lengths within the range of the suspension")


def drive(vehicle: Vehicle, ground: Ground, recording: Recording, first: int, last: int | None = None) -> Record:
    """Return READOUT records (rows `first` to `last`) of the vehicle with the recorded inputs; the first is the initial state."""
    grid = ground.arrays
    command = record(COMMAND)
    command[0]["selector"] = 1
    history = [vehicle.read().copy()]
    for row in range(first, len(recording.time) - 1 if last is None else last):
        command[0]["throttle"], command[0]["brake"] = recording.throttle[row], recording.braking[row]
        span = recording.time[row + 1] - recording.time[row]
        steps = max(1, round(span / STEP))
        ends = recording.steering[row], recording.steering[row + 1]
        advance(vehicle.model, vehicle.space, grid, command, ends, (steps, span / steps))
        history.append(vehicle.read().copy())
    return np.concatenate(history)


@kernel
def advance(model, space, ground, command, ends, time):
    """Advance from one sample to the next.

    ends : steering input at the two samples, linear between them: recorded steering consists of ramps and sines, while throttle and
        brake are constant between samples
    time : (number of steps, length of a step [s])
    """
    steps, h = time
    for k in range(steps):
        command[0]["steering"] = ends[0] + (ends[1] - ends[0]) * k / steps
        vehicle_step(model, space, ground, command, h)


def _at_body_com(history: Record, axis: int) -> Array:
    """Return a component of the velocity of the center of mass of the recorded body."""
    return (history["v_WB_B"] + np.cross(history["w_WB_B"], P_BODY_COM))[:, axis]


def _acceleration_at_body_com(history: Record, axis: int) -> Array:
    """Return a component of the kinematic acceleration of the center of mass of the recorded body."""
    w = history["w_WB_B"]
    return (history["a_WB_B"] + np.cross(history["alpha_WB_B"], P_BODY_COM) + np.cross(w, np.cross(w, P_BODY_COM)))[:, axis]


CHANNELS = {
    "vx": lambda h: _at_body_com(h, 0),
    "vy": lambda h: _at_body_com(h, 1),
    "wz": lambda h: h["w_WB_B"][:, 2],
    "ax": lambda h: _acceleration_at_body_com(h, 0),
    "ay": lambda h: _acceleration_at_body_com(h, 1),
    "az": lambda h: _acceleration_at_body_com(h, 2),
    "roll": lambda h: h["roll"],
    "pitch": lambda h: h["pitch"],
    "yaw": lambda h: h["yaw"],
    "x": lambda h: h["p_WB"][:, 0],
    "y": lambda h: h["p_WB"][:, 1],
    "z": lambda h: h["p_WB"][:, 2],
    "engine_speed": lambda h: h["engine_speed"],
    "gear": lambda h: h["gear"].astype(float),
} | {
    f"{name}_{corner}": (lambda h, what=what, i=i: what(h)[:, i])
    for name, what in {
        "omega": lambda h: h["wheel_spin"],
        "tire_Fz": lambda h: h["F_C"][:, :, 2],
        "tire_Fy": lambda h: h["F_C"][:, :, 1],
        "shock_L": lambda h: h["shock_length"],
    }.items()
    for i, corner in enumerate(CORNERS)
}
"""Computed value of each compared column of a recording, from READOUT records."""


def plot_trajectory(comparison: TrajectoryComparison, path: str) -> None:
    """Plot the counted channels, recorded and computed, into a PNG file. Raises OutputError."""
    write_bytes(output_path(path), png(Plot(Path(comparison.file).name, trajectory_panels(comparison, "recorded"))))


def trajectory_panels(comparison: TrajectoryComparison, source: str) -> list[Panel]:
    """Return a panel for each counted channel with its error; `source` names the reference."""
    return [
        Panel(
            f"{name}, error {100.0 * comparison.errors[name]:.2f} %",
            Axis("time", "s"),
            Axis(name, UNITS.get(name, "")),
            over_reference(comparison.time, (source, comparison.reference[name]), ("Jounce", comparison.ours[name])),
        )
        for name in comparison.counted
    ]


UNITS = {"vx": "m/s", "vy": "m/s", "wz": "rad/s", "ay": "m/s²", "roll": "rad", "pitch": "rad", "engine_speed": "rad/s", "z": "m"}
