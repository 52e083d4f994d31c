"""The comparison vehicle driven with recorded inputs, against the recorded motion (`jounce validate trajectory FILE.csv.gz`).

Only time, steering, throttle and braking of the recording and its state at the start are read for driving; everything else enters the
report alone. The drive starts from rest as the recorded vehicle was spawned (design position, not settled), or, with a start time, from
the state recorded there.

What the recordings of Project Chrono have and this vehicle does not is told by the report in a line (`OF_CHRONO`) and by docs/trajectories.md
with its numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, JounceError, OutputError
from simulator.base.jit import kernel
from simulator.base.records import Record, record
from simulator.base.rotations import quaternion_of_rotation, rotation_of_euler
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

Array = NDArray[np.float64]

STEP = 1e-3
"""s. Largest step of the drive; a whole number of steps fits between two samples."""

LIMIT = 0.05
"""Largest error of a channel that counts, the aim set for this comparison."""

COUNTED = {"straight": ("vx", "engine_speed", "pitch"), "turning": ("vx", "wz", "ay", "roll"), "standing": ("z", "pitch")}
"""Channels that count for the verdict, by kind of maneuver. The others are small numbers over small numbers there."""

STEERED_FROM = 0.02
"""Largest steering input of the recorded samples, as a part of the lock, from which on a maneuver counts as turning: more than a driver needs to go straight."""

STANDING_BELOW = 1.0
"""m/s. Peak speed below which it counts as standing."""

OF_CHRONO = (
    "known of Project Chrono, and not of this vehicle (docs/trajectories.md): the reaction of its final drives turns its chassis the wrong way; "
    "its tires stiffen below 3 m/s; their deflection and forces depend on camber"
)
"""What a report says beside a recording of that code."""

CORNERS = ("FL", "FR", "RL", "RR")
P_BODY_COM = np.array([0.056, 0.0, 0.213])
"""m, in B. Center of mass of the recorded chassis body, to which vx..vz and ax..az of a recording belong."""


@dataclass(frozen=True)
class TrajectoryComparison(Comparison):
    """A comparison in which only some of the channels, `counted`, are held to the limit: those of its kind of maneuver.

    steering : largest steering input of the compared samples, as a part of the lock
    contact_model : the recording's word for how its tires touch the ground, None when it has none
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
        """Largest error of the channels that count; not a number counts as infinite."""
        errors = [self.errors[name] for name in self.counted]
        return max((e if np.isfinite(e) else float("inf") for e in errors), default=float("inf"))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
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
        """A table for people: RMS difference over the peak of the reference, both in the channel's unit beside it."""
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
    """Drive `vehicle` as recorded and compare every channel that the recording has, up to the sample at `end` [s] (None: the last one).

    The error of a channel is the RMS difference over the peak of the reference, over the samples after `start`; when it is None, the
    drive begins at rest with the first sample, and the samples from 1 s before the maneuver count (all, when the file names none).

    Raises
    ------
    ConfigError : start or end is outside the recording or nothing lies between them, its ground is not known, a column is missing, or there is nothing to compare
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
    """The kind of maneuver, by what the driver did: a recorded ay also comes from bumps, slopes, and wheels that lock."""
    if "vx" in reference and np.abs(reference["vx"]).max() < STANDING_BELOW:
        return "standing"
    return "turning" if steering > STEERED_FROM else "straight"


def _notes(recording: Recording) -> tuple[str, ...]:
    """How the recording's tires touch the ground, and what is known of the code it is from."""
    model = recording.contact_model
    if model is None:
        contact = f"not named in {recording.sidecar}; ours is a single point"
    else:
        contact = model + (", as ours" if model == "SINGLE_POINT" else "; ours is a single point: a difference")
    return (f"contact model of the recording: {contact}", *((OF_CHRONO,) if recording.is_of_chrono else ()))


def _continuous(name: str, values: Array) -> Array:
    """The heading without its jumps of a full turn; any other channel as it is."""
    return np.unwrap(values) if name == "yaw" else values


def channel_error(ours: Array, reference: Array) -> float:
    """RMS difference over the peak of the reference; the RMS difference itself where the reference is zero throughout."""
    peak = float(np.abs(reference).max())
    return float(np.sqrt(np.mean((ours - reference) ** 2))) / (peak if peak > 0.0 else 1.0)


def spawn(vehicle: Vehicle, recording: Recording) -> None:
    """Put the vehicle where the recording began: design position, springs not in equilibrium, first gear, engine standing."""
    state = vehicle.space.state[0]
    vehicle.place(recording.p_WB, 0.0, 0.0, 0.0)
    state["q_WB"] = recording.q_WB
    state["v_WB_B"] = recording.v_WB_B
    state["wheel_spin"] = [recording.v_WB_B[0] / effective_radius(float(tire["radius"]), 0.0) for tire in vehicle.model.tires]
    _begin(vehicle, recording, 0)
    drivetrain_reset(vehicle.model.drivetrain, vehicle.space.drivetrain, state["wheel_spin"], 1)


def take_over(vehicle: Vehicle, recording: Recording, row: int) -> None:
    """Give the vehicle the state recorded in a row.

    Lower-arm angles and rates come from shock length and rate by inverting the kinematics, the deflections of the treads from the
    recorded tire forces, the turbine's speed from the wheels. A gear may be changed at once: when the last change was, is not recorded.

    Raises
    ------
    ConfigError : a column is missing, or a shock length is out of reach
    """

    def values(*names: str) -> Array:
        return np.concatenate([recording.values(name, [row]) for name in names])

    if vehicle.tires.outside:
        raise JounceError("the state of a recording can be given to tires of the type tmeasy only")
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
    _begin(vehicle, recording, row)  # once more: the rates move the wheels
    for axis, name in enumerate(("tire_Fx", "tire_Fy")):
        forces = values(*(f"{name}_{c}" for c in CORNERS))
        space.treads["numbers"][:, axis] = forces / vehicle.model.treads.tmeasy["tread_stiffness"][:, axis]

    gear, engine_speed = values("gear", "engine_speed")
    drivetrain_reset(vehicle.model.drivetrain, space.drivetrain, state["wheel_spin"], round(gear))
    space.drivetrain[0]["engine_speed"] = engine_speed
    space.drivetrain[0]["clock"] = vehicle.model.drivetrain[0]["shift_latency"]


def _begin(vehicle: Vehicle, recording: Recording, row: int) -> None:
    """Steering arm at its input, then kinematics of corners and wheels at the present state."""
    m, s = vehicle.model, vehicle.space
    s.state[0]["time"] = recording.time[row]
    s.steering[0]["angle"] = -recording.steering[row] * m.steering[0]["max_arm_angle"]
    place_tierods(m.steering, s.steering, s.inputs)
    present_suspension(m, s)
    move_wheels(s)


def arm_angles(vehicle: Vehicle, lengths: Array, where: str) -> Array:
    """Lower-arm angles (4,) [rad] that give the shock absorbers the lengths (4,) [m], by Newton on our kinematics. Raises ConfigError."""
    m, s = vehicle.model, vehicle.space
    theta = s.state[0]["theta"]
    theta[:] = 0.0
    for _ in range(30):
        present_suspension(m, s)
        miss = lengths - s.kinematics[0]["shock_length"]
        if np.abs(miss).max() < 1e-12:
            return theta.copy()
        theta += np.clip(miss / s.kinematics[0]["shock_length_1"], -0.1, 0.1)
    raise ConfigError(where, "shock_L", lengths.tolist(), "lengths of shock absorbers that the suspension can reach")


def drive(vehicle: Vehicle, ground: Ground, recording: Recording, first: int, last: int | None = None) -> Record:
    """READOUT records (rows `first` to `last`) of the vehicle driven with the recorded inputs; the first is the state it begins with."""
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
    """Steps from one sample to the next.

    ends : steering input at the two samples, linear between: recorded steering moves in ramps and sines, while throttle and brake jump
        and hold their value
    time : (number of steps, length of a step [s])
    """
    steps, h = time
    for k in range(steps):
        command[0]["steering"] = ends[0] + (ends[1] - ends[0]) * k / steps
        vehicle_step(model, space, ground, command, h)


def _at_body_com(history: Record, axis: int) -> Array:
    """Velocity of the recorded body's center of mass."""
    return (history["v_WB_B"] + np.cross(history["w_WB_B"], P_BODY_COM))[:, axis]


def _acceleration_at_body_com(history: Record, axis: int) -> Array:
    """Kinematic acceleration of the same point."""
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
"""Our value of each column of a recording that is compared, from READOUT records."""


def plot_trajectory(comparison: TrajectoryComparison, path: str) -> None:
    """Draw the channels that count, reference and ours, into a PNG. Raises OutputError."""
    from matplotlib.figure import Figure

    names = comparison.counted
    figure = Figure(figsize=(8.0, 2.2 * len(names) + 0.8), layout="constrained")
    axes = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
    for name, axis in zip(names, axes, strict=True):
        axis.plot(comparison.time, comparison.reference[name], color="0.25", linewidth=2.2, label="recorded")
        axis.plot(comparison.time, comparison.ours[name], color="#d1495b", linewidth=1.2, label="Jounce")
        axis.set_ylabel(f"{name} [{UNITS[name]}]" if name in UNITS else name)
        axis.set_title(f"error {100.0 * comparison.errors[name]:.2f} %", loc="right", fontsize="small")
        axis.grid(alpha=0.3)
    axes[0].legend(loc="best")
    axes[-1].set_xlabel("time [s]")
    figure.suptitle(Path(comparison.file).name)
    try:
        figure.savefig(path, dpi=110)
    except (OSError, ValueError) as error:
        raise OutputError(f"{path}: the picture cannot be written ({error})") from None


UNITS = {"vx": "m/s", "vy": "m/s", "wz": "rad/s", "ay": "m/s²", "roll": "rad", "pitch": "rad", "engine_speed": "rad/s"}
