"""Trailers of one vehicle: their memory and addresses, their place behind the vehicle, their rest and their start.

The equilibrium of vehicle and trailers together is found by the step itself, with the brakes applied and every velocity damped (dynamic
relaxation): Newton's method of `vehicles.equilibrium` first settles the vehicle alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.callbacks import address_of
from simulator.base.errors import JounceError
from simulator.base.fast_call import compiled_call
from simulator.base.record_tree import addresses_in
from simulator.base.records import record
from simulator.base.rotations import rotation_of_euler, rotation_of_quaternion
from terrain.ground import GroundArrays
from terrain.objects.records import no_world
from vehicles.command import COMMAND
from vehicles.step import vehicle_step
from vehicles.tires.radial import effective_radius
from vehicles.tires.temperature import cool_tires
from vehicles.towing.coupling import COUPLING, COUPLING_MEMORY, GROUND_WORDS, UNBRAKED
from vehicles.towing.coupling_section import STOP_RATE
from vehicles.towing.trailer_step import kernels_of

if TYPE_CHECKING:
    from vehicles.vehicle import Vehicle

STEP = 1e-3
"""s. Step of the relaxation."""
DAMPING = 12.0
"""1/s. Rate at which the relaxation reduces velocities; bodies on their springs have 5 to 15 rad/s."""
MAX_STEPS, CHECKED = 5_000, 250
"""Maximum number of steps, about 0.3 s for who waits in a drive; number of steps between two checks."""
AT_REST = 1e-6
"""m/s2 and rad/s2. Largest acceleration of a vehicle with trailers at rest."""
NEARLY_AT_REST = 0.5
"""m/s2 and rad/s2. Largest acceleration with which a drive may begin after MAX_STEPS: uneven ground can keep a train from coming to rest."""


@dataclass(frozen=True)
class Trailer:
    """A trailer behind a vehicle: the vehicle that it is, and its coupling point on the vehicle ahead [m], in that vehicle's frame."""

    vehicle: Vehicle
    hitch: Vector

    @property
    def name(self) -> str:
        """Name of the trailer."""
        return self.vehicle.description.name


class Train:
    """Trailers of one vehicle, from the first to the last.

    Attributes
    ----------
    towed, towing : records of COUPLING and COUPLING_MEMORY for the model and the data of the vehicle
    saved : attributes with the state; the addresses in `towed` are those of one simulation
    """

    saved = ("trailers", "towing")

    def __init__(self, vehicle: Vehicle, trailers: Sequence[Trailer], ground: GroundArrays) -> None:
        if sum(1 + array.ndim for array in _arrays(ground)) > GROUND_WORDS:
            raise ValueError("GROUND_WORDS is too small for a ground")
        self.trailers, self._ground = tuple(trailers), ground
        self.towed, self.towing = record(COUPLING, len(trailers)), record(COUPLING_MEMORY, len(trailers))
        self._rows: list[Any] = []
        self._step: Callable[..., None] | None = None
        ahead = vehicle
        for k, one in enumerate(self.trailers):
            v, c = one.vehicle, self.towed[k]
            assert v.description.coupling is not None
            self.towed[k] = v.description.coupling.parameters[0]
            c["p_BH"] = one.hitch
            yaw_inertia = min(_yaw_inertia(ahead), _yaw_inertia(v))
            c["stop_stiffness"], c["stop_damping"] = yaw_inertia * STOP_RATE**2, yaw_inertia * STOP_RATE
            kernels = kernels_of(v.model, v.space, ground)
            c["begin"], c["finish"] = kernels.begin.address, kernels.finish.address
            rows = addresses_in(v.model), addresses_in(v.space)
            c["model"], c["data"] = (address_of(row) for row in rows)
            self._rows.append(rows)
            ahead = v

    def new_instance(self, vehicle: Vehicle) -> Train:
        """Return trailers of their own for another vehicle."""
        return Train(vehicle, [Trailer(one.vehicle.new_instance(), one.hitch) for one in self.trailers], self._ground)

    @property
    def names(self) -> list[str]:
        """Names of the trailers in a session: trailer, trailer_2 and so on."""
        return ["trailer" if k == 0 else f"trailer_{k + 1}" for k in range(len(self.trailers))]

    @property
    def length_behind(self) -> float:
        """Distance [m] of the rear end behind the reference point of the towing vehicle, with all trailers in line."""
        at = 0.0
        for c in self.towed:
            at += float(c["p_BH"][0] - c["p_TH"][0])
        length, _, overhang = self.trailers[-1].vehicle.description.outline
        front = float(self.trailers[-1].vehicle.model.corners[0]["design_wheel_x"][0]) + overhang
        return length - front - at

    def starts(self, x: float, y: float, yaw: float) -> list[tuple[float, float, float]]:
        """Return x, y [m] and yaw [rad] of the reference points of the trailers in line behind a vehicle at a place."""
        out, at = [], 0.0
        for c in self.towed:
            at += float(c["p_BH"][0] - c["p_TH"][0])
            out.append((x + at * math.cos(yaw), y + at * math.sin(yaw), yaw))
        return out

    def settle(self) -> None:
        """Remove the addresses of the ground, which every step writes, from the state."""
        self.towing["ground"] = 0

    def clear(self) -> None:
        """Forget forces, angles and brakes of the last drive."""
        self.towing[:] = record(COUPLING_MEMORY, len(self.towing))

    def place(self, vehicle: Vehicle) -> None:
        """Place the trailers straight behind the vehicle, at rest in the design position, with their couplings joined."""
        self.clear()
        state, R = vehicle.space.state[0], np.empty((3, 3))
        rotation_of_quaternion(state["q_WB"], R)
        hitch = state["p_WB"] + R @ self.towed[0]["p_BH"]
        roll, pitch, yaw = _euler(R)
        for k, one in enumerate(self.trailers):
            turned = np.empty((3, 3))
            rotation_of_euler(roll, pitch, yaw, turned)
            origin = hitch - turned @ self.towed[k]["p_TH"]
            one.vehicle.place(origin, roll, pitch, yaw)
            if k + 1 < len(self.trailers):
                hitch = origin + turned @ self.towed[k + 1]["p_BH"]

    def stand_on(self, vehicle: Vehicle, ground: GroundArrays) -> None:
        """Bring a vehicle that is in equilibrium alone, and its trailers, to rest together. Raises JounceError: they do not come to rest."""
        ground = ground._replace(objects=no_world())  # a session may not know yet which objects are parts of the train
        self.place(vehicle)
        vehicles = [vehicle, *(one.vehicle for one in self.trailers)]
        saved = [getattr(vehicle.space, name).copy() for name in KEPT]
        command, braked_by = record(COMMAND), self.towed["braked_by"].copy()
        command[0]["brake"] = 1.0
        self.towed["braked_by"] = UNBRAKED  # free wheels leave no force in the coupling on level ground
        if self._step is None:
            self._step = compiled_call(vehicle_step, vehicle.model, vehicle.space, ground, command, STEP)
        moving = [one.space.state[0][name] for one in vehicles for name in ("v_WB_B", "w_WB_B", "theta_dot")]
        moving += [vehicle.space.steering[0:1]["rate"]]
        for n in range(MAX_STEPS):
            self._step(vehicle.model, vehicle.space, ground, command, STEP)
            for velocity in moving:
                np.multiply(velocity, 1.0 - DAMPING * STEP, out=velocity)
            if n % CHECKED == CHECKED - 1:
                fastest = max(_acceleration(one) for one in vehicles)
                if fastest < AT_REST or not np.isfinite(fastest):
                    break
        self.towed["braked_by"] = braked_by
        if not fastest < NEARLY_AT_REST:
            raise JounceError(f"no equilibrium with {self.trailers[0].name}: vehicle and trailer do not come to rest ({fastest:.2g} m/s2)")
        for one in moving:
            one[...] = 0.0
        for one in vehicles:
            one.space.state[0]["time"], one.space.state[0]["wheel_spin"] = 0.0, 0.0
            one.space.state[0]["wheel_angle"] = 0.0
        for name, before in zip(KEPT, saved, strict=True):
            angle = vehicle.space.drivetrain[0]["brake_angle"].copy()
            getattr(vehicle.space, name)[:] = before
            vehicle.space.drivetrain[0]["brake_angle"] = angle
        for one in vehicles:
            cool_tires(one.model, one.space)
        self.read()

    def resistance(self, speed: float) -> float:
        """Return the rolling and air resistance [N] of the trailers at a speed [m/s], for the throttle of a rolling start."""
        total = 0.0
        for one in self.trailers:
            v = one.vehicle
            load = np.abs(v.space.contacts["F_C"][:, 2])
            total += float((v.model.tires["rolling_resistance"] * (1.0 + v.space.tires["resistance_gain"]) * load).sum())
            b = v.model.body[0]
            total += 0.5 * float(b["air_density"] * b["drag_area"]) * speed * speed
        return total

    def roll(self, speed: float) -> None:
        """Let the trailers at rest roll straight ahead at a speed [m/s]."""
        for one in self.trailers:
            s, state = one.vehicle.space, one.vehicle.space.state[0]
            up = s.work[0]["R_WB"].T @ s.contacts["n_W"].sum(axis=0)
            ahead = np.array([up[2], 0.0, -up[0]])
            state["v_WB_B"] = speed * ahead / np.linalg.norm(ahead)
            deflections = s.contacts["tire_deflection"]
            tires = one.vehicle.model.tires
            state["wheel_spin"] = [speed / effective_radius(float(t["radius"]), float(d)) for t, d in zip(tires, deflections, strict=True)]
            s.drivetrain[0]["brake_angle"] = 0.0
            s.axles[0]["brake_torque"] = 0.0

    def read(self) -> None:
        """Fill the readouts of the trailers."""
        for one in self.trailers:
            one.vehicle.read()


KEPT = ("drivetrain", "brakes", "controls", "control_output", "actuators")
"""Records of the towing vehicle that the relaxation must not change."""


def _acceleration(vehicle: Vehicle) -> float:
    out = vehicle.space.out[0]
    return float(max(np.abs(out[name]).max() for name in ("a_WB_B", "alpha_WB_B", "theta_ddot")))


def _yaw_inertia(vehicle: Vehicle) -> float:
    """Return the yaw inertia [kg m2] of the chassis about its center of mass; less than the inertia that a stop moves."""
    return float(vehicle.model.chassis[0]["inertia"][2])


def _euler(R: Vector) -> tuple[float, float, float]:
    return float(np.arctan2(R[2, 1], R[2, 2])), float(-np.arcsin(R[2, 0])), float(np.arctan2(R[1, 0], R[0, 0]))


def _arrays(tree: Any) -> Any:
    for part in tree:
        if isinstance(part, tuple):
            yield from _arrays(part)
        else:
            yield part
