"""The vehicle as its users meet it: made from parsed files, then `reset`, `step`, `read`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError
from simulator.base.frames import quaternion_of_rotation, rotation_of_euler
from simulator.base.records import Record, record
from simulator.base.section import Section
from terrain.soil import SOIL
from vehicles.body_contact import BODY_CONTACT_STATE
from vehicles.brakes.friction_brake import brakes_from_mapping
from vehicles.description import Description
from vehicles.drivetrain.drivetrain import DRIVETRAIN_OUT, DRIVETRAIN_STATE, drivetrain_from_mapping, drivetrain_reset
from vehicles.equilibrium import settle
from vehicles.model import new_workspace
from vehicles.read import find_points, read_vehicle
from vehicles.readout import READOUT
from vehicles.stages import Model, Space
from vehicles.steering.pitman_arm import STEERING_STATE, place_tierods
from vehicles.step import vehicle_step
from vehicles.suspension.corner_sums import prepare
from vehicles.suspension.tables.build_tables import build_tables
from vehicles.suspension.tables.reduced_table import INTERPOLATED, no_tables
from vehicles.tires.parameters import TIRE_OUT, WHEEL, tire_states

Ground = tuple[Record, NDArray[np.float32], NDArray[np.float32], NDArray[np.uint8], NDArray[Any]]


class Vehicle:
    """A vehicle on a ground.

    Parameters
    ----------
    description : the vehicle's own file, read
    tires : (4,) records of TIRE of the wheels FL, FR, RL, RR, see `vehicles.tires.parameters.tire_set`
    drivetrain, file : mapping of its drivetrain's file, and the name of that for messages
    """

    def __init__(self, description: Description, tires: Record, drivetrain: Any, file: str) -> None:
        self.description = description
        self.model = _model(description, tires, drivetrain, file)
        self.space = new_space(description)
        self.readout: Record = record(READOUT)

    def reset(self, ground: Ground, x: float = 0.0, y: float = 0.0, yaw: float = 0.0, gear: int = 0) -> None:
        """Settle the vehicle at rest at (x, y) [m] with heading yaw [rad]: every acceleration is below 1e-9 m/s2.

        Raises
        ------
        JounceError : no equilibrium is found there (the ground is too steep)
        """
        clear(self.space)
        drivetrain_reset(self.model.drivetrain, self.space.drivetrain, self.space.state[0]["wheel_spin"], gear)
        try:
            settle(self.model, self.space, ground, x, y, yaw)
        except JounceError as error:
            raise JounceError(f"{self.description.name}: {error}") from None
        self.space.drivetrain[0]["brake_angle"] = self.space.axles[0]["brake_torque"] / self.model.brakes[0]["stiffness"]
        self.read()

    def place(self, p_WB: NDArray[np.float64], roll: float, pitch: float, yaw: float) -> None:
        """Put the vehicle in the design position, at rest in neutral, wherever and however asked; nothing is settled."""
        m, s = self.model, self.space
        clear(s)
        state = s.state[0]
        R = np.empty((3, 3))
        rotation_of_euler(roll, pitch, yaw, R)
        state["p_WB"] = p_WB
        quaternion_of_rotation(R, state["q_WB"])
        drivetrain_reset(m.drivetrain, s.drivetrain, state["wheel_spin"], 0)
        place_tierods(m.steering, s.steering, s.inputs)
        prepare(m.corners, m.struts, s.state, s.inputs, s.kinematics, s.work, s.out)

    def step(self, ground: Ground, command: Record, h: float) -> None:
        """Advance by h seconds under a COMMAND record."""
        vehicle_step(self.model, self.space, ground, command, h)

    def read(self, command: Record | None = None) -> Record:
        """READOUT record of the present state, overwritten at every call."""
        if self.model.tables.grid[0]["theta_cells"] > 0:
            find_points(self.model, self.space)
        read_vehicle(self.model, self.space, self.readout)
        if command is not None:
            for name in ("steering", "throttle", "brake"):
                self.readout[0][name] = command[0][name]
        return self.readout

    @property
    def speed(self) -> float:
        """Speed over ground of the chassis reference point [m/s], + = forward."""
        v = self.space.state[0]["v_WB_B"]
        return math.copysign(math.hypot(v[0], v[1]), v[0])


def _model(description: Description, tires: Record, drivetrain: Any, file: str) -> Model:
    mechanism, tolerance = description.mechanism, description.table_tolerance
    with Section(drivetrain, file) as parts:
        engine_to_wheels = drivetrain_from_mapping(parts.raw("drivetrain", expected="a mapping"), file)
        brakes = brakes_from_mapping(parts.raw("brakes", expected="a mapping"), file)
    return Model(
        mechanism.chassis,
        mechanism.corners,
        mechanism.struts,
        description.steering,
        description.body,
        description.body_contact,
        tires,
        engine_to_wheels,
        brakes,
        no_tables()
        if tolerance is None
        else build_tables(mechanism.corners, mechanism.struts, mechanism.Q_design, description.steering, tolerance)[0],
    )


def new_space(description: Description) -> Space:
    """All records a vehicle needs besides its parameters, in the design position."""
    w = new_workspace(description.mechanism)
    return Space(
        w.state,
        w.inputs,
        w.loads,
        w.kinematics,
        w.work,
        w.out,
        record(STEERING_STATE),
        tire_states(4),
        record(WHEEL, 4),
        record(TIRE_OUT, 4),
        record(SOIL),
        record(DRIVETRAIN_STATE),
        record(DRIVETRAIN_OUT),
        record(INTERPOLATED),
        record(BODY_CONTACT_STATE),
    )


def clear(space: Space) -> None:
    """Everything to zero but the attitude, the tires' search direction and the rear tie rods."""
    for block in space:
        if block is not space.inputs:
            block[:] = np.zeros(1, block.dtype)
    space.state[0]["q_WB"][0] = 1.0
    space.tires[:] = tire_states(4)
