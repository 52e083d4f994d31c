"""Vehicle as used by the application: created from parsed files, then `reset`, `step`, `read`."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.call_checks import NUMBER, WHOLE, checks, instance
from simulator.base.errors import ConfigError, JounceError, raise_all
from simulator.base.fast_call import compiled_call
from simulator.base.rates import shown_time
from simulator.base.records import Record, Table, dtype_of, record, view_as
from simulator.base.rotations import quaternion_of_rotation, rotation_of_euler
from terrain.ground import Ground, GroundArrays
from terrain.soil import SOIL
from vehicles.actuators.actuators import ACTUATOR_STATE, logged_actuators, straighten_last_axle
from vehicles.axle_layout import AxleLayout, Axles, record_for
from vehicles.body_contact import BODY_CONTACT_STATE
from vehicles.brakes.brakes import BRAKE_STATE, press_for
from vehicles.command import COMMAND
from vehicles.compliance.wheel_displacements import ELASTIC, has_compliance, rest_carriers
from vehicles.contact.object_contact import touch_objects
from vehicles.contact.part_section import fill_wheels
from vehicles.contact.records import OBJECT_CONTACT_STATE, PAIRS
from vehicles.controllers.contract import CONTROLLER_INPUT, CONTROLLER_OUTPUT
from vehicles.controllers.control_unit import CONTROL_STATE
from vehicles.description import Description
from vehicles.drivetrain.callback_drivetrain import CALLBACK_STATE
from vehicles.drivetrain.contract import DRIVETRAIN_INPUT, DRIVETRAIN_OUTPUT
from vehicles.drivetrain.drivetrain import DRIVETRAIN_OUT, DRIVETRAIN_STATE, drivetrain_reset
from vehicles.drivetrain.drivetrain_file import DrivetrainParts, read_parts
from vehicles.equilibrium import Equilibrium, settle, settle_again, settle_on
from vehicles.equilibrium_cache import EquilibriumCache
from vehicles.fill_readout import find_points, read_vehicle, show_points
from vehicles.mechanism_parameters import new_workspace
from vehicles.own_parameters import OwnParameters
from vehicles.readout import READOUT
from vehicles.rolling_start import roll
from vehicles.stages import present_suspension
from vehicles.state_memory import Bytes, StateMemory, in_one_block
from vehicles.static_load_check import explain_missing_equilibrium
from vehicles.steering.free_steering import balance_arm
from vehicles.steering.kinds import STEERING_KINDS
from vehicles.steering.steering import STEERING_STATE, logged_steering, place_tierods
from vehicles.step import vehicle_step
from vehicles.suspension.blocks import STOPPED, TRUSTED, WATCHED
from vehicles.suspension.contract import POINTS
from vehicles.suspension.corner_design import CornerDesign
from vehicles.suspension.mechanism.table_cache import stored_tables
from vehicles.suspension.tables.build_tables import build_tables
from vehicles.suspension.tables.reduced_table import INTERPOLATED, ReducedTables, no_tables
from vehicles.tires.callback_models import CARRIED, callback_data, rest_treads
from vehicles.tires.contract import TIRE_INPUT, TIRE_OUTPUT, TREAD_STATE
from vehicles.tires.parameters import TIRE_OUT, WHEEL, tire_states
from vehicles.tires.temperature import TIRE_HEAT_STATE, cool_tires, logged_heat
from vehicles.tires.terrain_cache import TERRAIN_CACHE
from vehicles.tires.tire_file import TireSet
from vehicles.towing.coupling import COUPLING, COUPLING_MEMORY
from vehicles.vehicle_model import VehicleData, VehicleModel

if TYPE_CHECKING:
    from vehicles.towing.train import Train

ARM_ITERATIONS = 12
"""Maximum number of times a vehicle with a free steering arm is settled; on level ground once."""
ARM_AT_REST = 1e-11
"""rad. Tolerance of the arm position."""
BUSHING_ITERATIONS = 100
"""Maximum number of times a vehicle with wheels on bushings is settled; a dozen are usual."""
BUSHINGS_AT_REST = 1e-13
"""rad, m. Tolerance of the wheel displacements."""

CLEAR, RIM_POINTS = 0.01, 17
"""m, least distance of a dropped vehicle from the ground; points of the lower half of each wheel that are checked for it."""


BODY_CONTACT_LOG = tuple(row for row in BODY_CONTACT_STATE if row[0] == "force_B")
"""Field of the log; its columns begin with body_contact_."""


def arrays_of(ground: Ground | GroundArrays) -> GroundArrays:
    """Return the kernel arrays of a ground, given in either form."""
    return ground.arrays if isinstance(ground, Ground) else ground


class Vehicle:
    """A vehicle on a ground.

    Parameters
    ----------
    description : contents of the vehicle's file
    tires : tires of the wheels, corner by corner
    drivetrain, file : mapping of the drivetrain file, or the parts read from it; and its name for messages
    equilibria : cache shared with other vehicles of this description, if any
    """

    def __init__(
        self, description: Description, tires: TireSet, drivetrain: Any, file: str, equilibria: EquilibriumCache | None = None
    ) -> None:
        self.description, self.tires = description, tires
        parts = drivetrain if isinstance(drivetrain, DrivetrainParts) else read_parts(drivetrain, file, description.mechanism.axles)
        self.drivetrain = parts
        self.model = _model(description, tires, parts, file)
        self._design = _in_design(description, len(self.model.drive), min(len(tires.heat), 1))
        """Memory in the design position, never written."""
        cool_tires(self.model, self._design.space)
        self.piece = self._new_memory(self._design.space.windows)
        """State memory of this vehicle; `space` is a view of it."""
        self.space = self.piece.space
        self._cleared: Bytes | None = None
        """Memory of the cleared vehicle, if known."""
        self._equilibria = equilibria or EquilibriumCache()
        self._equilibrium: Equilibrium | None = None
        """Equilibrium of the last settling."""
        self.readout: Record = record_for(READOUT, self.size)
        self.start_throttle = 0.0
        """Throttle that holds the speed of the last `reset`."""
        self.troubles: list[str] = []
        """Faults of plugin parts, and objects that the contact leaves out, one line each."""
        self._reported: set[int | str] = set()
        self._show: tuple[Callable, Callable] | None = None
        self.has_compliance = bool(has_compliance(self.model))
        """True if the wheels are mounted on bushings."""
        plugins = self.space.blocks.others, self.tires.outside, self.description.controllers.units, self.model.drive
        own_steering = not STEERING_KINDS.is_builtin(description.steering_kind.name)
        self._may_stop = own_steering or any(len(found) for found in plugins)
        self._own: OwnParameters | None = None
        self._by_torque = False
        self.train: Train | None = None
        """Trailers of this vehicle."""

    def tow(self, train: Train | None) -> None:
        """Pull trailers from the next `reset` on."""
        self.train = train
        towed, towing = (record(COUPLING, 0), record(COUPLING_MEMORY, 0)) if train is None else (train.towed, train.towing)
        self.model = self.model._replace(towed=towed)
        self.piece = replace(self.piece, space=self.piece.space._replace(towing=towing))
        self.space = self.piece.space

    @checks(
        ground=instance((Ground, GroundArrays), "a ground, as of load_ground"), x=NUMBER, y=NUMBER, yaw=NUMBER, gear=WHOLE, speed=NUMBER
    )
    def reset(
        self, ground: Ground | GroundArrays, x: float = 0.0, y: float = 0.0, yaw: float = 0.0, gear: int = 0, speed: float = 0.0
    ) -> None:
        """Settle the vehicle at rest on a ground at (x, y) [m] with heading yaw [rad]: every acceleration is below 1e-9 m/s2.

        With a forward `speed` [m/s] the vehicle then rolls straight ahead as in a steady drive, in `gear`; gear 0: in a gear that the
        gearbox keeps. `start_throttle` is the throttle that holds the speed (vehicles/rolling_start.py).

        Raises
        ------
        JounceError : no equilibrium exists there (the ground is too steep), or the speed is negative or not finite
        """
        if not 0.0 <= speed < math.inf:
            raise JounceError(f"{self.description.name}: invalid start speed {speed:g} m/s; expected a forward speed of 0 or more")
        if arrays_of(ground).objects[0]["count"] > 0:
            self.load_object_contact()
        try:
            if self._may_stop:
                self._settle(arrays_of(ground), x, y, yaw, gear)
            else:
                place, settling = (x, y, yaw, gear), partial(self._settle, arrays_of(ground), x, y, yaw, gear)
                self._equilibria.restore_or_settle(self.model, self.piece, arrays_of(ground), place, settling)
        except ConfigError:
            raise
        except JounceError as error:
            raise JounceError(f"{self.description.name}: {error}") from None
        if self.train is not None:
            self.train.stand_on(self, arrays_of(ground))
        self._mark_center_of_mass()
        self.space.drivetrain[0]["brake_angle"] = self.space.axles[0]["brake_torque"] / self.model.brakes[0]["stiffness"]
        if speed > 0.0:
            pull = 0.0 if self.train is None else self.train.resistance(speed)
            self.start_throttle = roll(self.model._replace(towed=record(COUPLING, 0)), self.space, arrays_of(ground), speed, gear, pull)
            if self.train is not None:
                self.train.roll(speed)
            for part in (self.space.brakes, self.space.controls, self.space.control_output, self.space.actuators):
                part[:] = np.zeros(1, part.dtype)  # the steps of `roll` do not belong to the drive
            cool_tires(self.model, self.space)
        else:
            self.start_throttle = 0.0
            press_for(self.model.brakes, self.space.brakes, self.space.axles[0]["brake_torque"])
            self.space.axles[0]["engine_speed"] = self.space.drivetrain[0]["engine_speed"]  # the engine idles before the first step
        self.read()

    def new_instance(self, windows: Record | None = None) -> Vehicle:
        """Return a vehicle of this kind in the design position. It shares nothing with this one that a drive or a driver changes.

        windows : terrain caches of a vehicle that is never stepped at the same time as the new one; None: new caches
        """
        one = copy.copy(self)
        shared = self.model if self._own is None else self._own.nominal
        one.model, one._own = shared._replace(steering=shared.steering.copy()), None
        one.piece = self._new_memory(record(TERRAIN_CACHE, self.size.wheels) if windows is None else windows)
        one.space = one.piece.space
        one.readout = record_for(READOUT, self.size)
        if self.train is not None:
            one.tow(self.train.new_instance(one))
        one.start_throttle, one.troubles, one._reported = 0.0, [], set()
        return one

    def twin(self) -> Vehicle:
        """Return a vehicle in the present state, with the present parameters and without trailers, for computations beside the drive."""
        one = self.new_instance()
        one.model = self.model._replace(steering=self.model.steering.copy())
        one.tow(None)
        end = self.piece.begins[0]
        one.piece.memory[:end] = self.piece.memory[:end]
        one.space.inputs[:] = self.space.inputs
        return one

    def own_parameters(self) -> OwnParameters:
        """Give this vehicle parameter records of its own, which may change during a drive, until `use_shared_parameters`."""
        if self._own is None:
            self._own = OwnParameters(self.model, self.tires)
            self.model = self._own.model
        return self._own

    def use_shared_parameters(self) -> None:
        """Use the parameters of the vehicle's files again."""
        if self._own is not None:
            self.model, self._own = self._own.nominal, None

    def clear(self) -> None:
        """Set the state to zero, except for the attitude, the contact search directions of the tires, tire models with another state at
        rest, the rear tie rods and the definition of the blocks. With plugin parts the cleared memory is not cached, because their states
        are unknown."""
        if self._cleared is None:
            _clear(self.model, self.space)
            self._cleared = None if self._may_stop else self.piece.memory.copy()
        else:
            self.piece.clear_as(self._cleared)
            straighten_last_axle(self.model, self.space)

    def reset_to_design(self) -> None:
        """Reset the state to the design position, as after construction; the parameters stay."""
        self.piece.memory[:] = self._design.memory

    def copied_state(self) -> list[NDArray[Any]]:
        """Return copies of all state, that of the trailers too, for `restore`."""
        return [part.copy() for part in self._memories]

    def restore(self, saved: Sequence[NDArray[Any]]) -> None:
        """Return to a state of `copied_state`."""
        for part, before in zip(self._memories, saved, strict=True):
            part[:] = before

    @property
    def _memories(self) -> list[NDArray[Any]]:
        if self.train is None:
            return [self.piece.memory]
        return [self.piece.memory, self.train.towing, *(one.vehicle.piece.memory for one in self.train.trailers)]

    def _new_memory(self, windows: Record) -> StateMemory:
        """Return memory in the design position that refers to the parameters of the mechanism, which no code writes."""
        memory = self._design.copied()
        blocks = memory.space.blocks._replace(own=self.description.mechanism.own)
        return replace(memory, space=memory.space._replace(blocks=blocks, windows=windows))

    def settle(self, level: GroundArrays) -> None:
        """Compute only the equilibrium at the origin, for the set-up of a vehicle. Raises JounceError."""
        try:
            self._settle(level, 0.0, 0.0, 0.0, 0)
        except ConfigError:
            raise
        except JounceError as error:
            raise JounceError(f"{self.description.name}: {error}") from None

    def settle_on(self, level: GroundArrays) -> None:
        """Compute the equilibrium after a small change of the vehicle: faster than `settle`, but only the position is accurate. Raises
        JounceError."""
        if (
            self._equilibrium is None
            or self.has_compliance
            or self.takes_torque
            or not settle_on(self.model, self.space, level, self._equilibrium)
        ):
            self.settle(level)

    def cache_equilibrium(self, level: GroundArrays) -> None:
        """Cache the present state, which is the result of `settle`, for the next `reset` at the origin of this ground."""
        if not self._may_stop:
            self._equilibria.note(self.model, self.piece, level, (0.0, 0.0, 0.0, 0))

    def cache_level_equilibrium(self) -> None:
        """Use the present state, which is the result of `settle_on` at the origin of level ground, as the first guess of all vehicles of
        this description. Equilibria cached earlier differ in the last digits."""
        if self._equilibrium is not None:
            self._equilibria.level = copy.deepcopy(self._equilibrium)

    def _settle(self, ground: GroundArrays, x: float, y: float, yaw: float, gear: int) -> None:
        """Compute the equilibrium at this pose in this gear."""
        self.clear()
        drivetrain_reset(self.model.drivetrain, self.space.drivetrain, self.space.state[0]["wheel_spin"], gear)
        watched = self.space.blocks.others["watch"] == WATCHED
        self.space.blocks.others["watch"][watched] = TRUSTED
        try:
            self._equilibrium = settle(self.model, self.space, ground, x, y, yaw, self._equilibria.level)
        except JounceError:
            if self.description.coupling is not None:
                raise JounceError("a trailer that does not stand on its own wheels; expected the vehicle that pulls it") from None
            names, gravity = self.description.tires, float(ground.p[0]["gravity"])
            raise_all(explain_missing_equilibrium(self.description.mechanism, self.model.tires, names, gravity))
            raise
        self._settle_bushings(ground, self._balance_arm(ground, self._equilibrium))
        self.space.blocks.others["watch"][watched] = WATCHED

    def _balance_arm(self, ground: GroundArrays, found: Equilibrium) -> Equilibrium:
        """Repeat the settling until a free arm, with the steering wheel fixed straight ahead, is at rest too; return the equilibrium.

        found : equilibrium of the vehicle with the present angle of the arm
        """
        if self.steering_is_free:
            for _ in range(ARM_ITERATIONS):
                if abs(balance_arm(self.model, self.space)) < ARM_AT_REST:
                    break
                found = settle_again(self.model, self.space, ground, found, self._equilibria.level)
        return found

    def _settle_bushings(self, ground: GroundArrays, found: Equilibrium) -> None:
        """Repeat the settling until wheels on bushings are at rest under their loads. Raises JounceError if the bushings are too soft.

        found : equilibrium of the vehicle with the present displacements of the wheels
        """
        if not self.has_compliance:
            return
        for _ in range(BUSHING_ITERATIONS):
            if rest_carriers(self.model, self.space) < BUSHINGS_AT_REST:
                return
            found = settle_again(self.model, self.space, ground, found, self._equilibria.level)
            found = self._balance_arm(ground, found)
        raise JounceError("no equilibrium; the bushings under `compliance` are too soft for the load")

    def free_steering(self, free: bool) -> None:
        """Select the steering input from the next `reset` on: True for a torque of the driver's hands, False for a prescribed angle.

        Raises
        ------
        JounceError : the vehicle has no steering wheel inertia
        """
        steering = self.model.steering[0]
        if free and steering["hand_wheel_inertia"] == 0.0:
            raise JounceError(f"{self.description.name}: steering by torque needs a steering wheel; expected a section steering.hand_wheel")
        self._by_torque = free

    @property
    def steering_is_free(self) -> bool:
        """True if the column twists and the steering arm is a degree of freedom."""
        return bool(self.model.steering[0]["free"])

    @property
    def takes_torque(self) -> bool:
        """True if the steering wheel accepts a torque of the driver's hands."""
        return self._by_torque

    @property
    def low_range_reduction(self) -> float:
        """Torque in low range of the transfer case over that in high range; 1 without a low range."""
        ratio = float(self.model.drivetrain[0]["low_ratio"])
        return 1.0 / ratio if ratio > 0.0 else 1.0

    @property
    def hand_gears(self) -> int:
        """Number of forward gears of a manual transmission; 0 with an automatic gearbox."""
        p = self.model.drivetrain[0]
        return int(p["gears"]) if p["has_clutch"] else 0

    def watch_blocks(self) -> None:
        """From now on, hold a plugin axle that returns a non-finite number in its last valid position; the drive continues."""
        watch = self.space.blocks.others["watch"]
        watch[watch == TRUSTED] = WATCHED

    def stopped(self) -> tuple[CornerDesign, ...]:
        """Return the left corner of every stopped block."""
        others, designs = self.space.blocks.others, self.description.mechanism.designs
        return tuple(designs[n] for n in others["first"][others["watch"] == STOPPED])

    def place(self, p_WB: NDArray[np.float64], roll: float, pitch: float, yaw: float) -> None:
        """Place the vehicle in the design position, at rest in neutral, at any position and attitude; nothing is settled."""
        m, s = self.model, self.space
        self.clear()
        state = s.state[0]
        R = np.empty((3, 3))
        rotation_of_euler(roll, pitch, yaw, R)
        state["p_WB"] = p_WB
        quaternion_of_rotation(R, state["q_WB"])
        drivetrain_reset(m.drivetrain, s.drivetrain, state["wheel_spin"], 0)
        place_tierods(m.steering, s.steering, s.inputs)
        present_suspension(m, s)
        self._mark_center_of_mass()
        if self.train is not None:
            self.train.place(self)

    def drop(self, ground: Ground, x: float, y: float, yaw: float, height: float) -> None:
        """Place the vehicle level, at rest and in neutral, in the design position, to fall from there: nothing is settled.

        The reference point is `height` [m] above the ground at (x, y) [m], or higher where the ground is so steep that it would touch a wheel
        or the body. The ground may have any slope and any soil.
        """
        if arrays_of(ground).objects[0]["count"] > 0:
            self.load_object_contact()
        base = ground.height(x, y)
        self.place(np.array([x, y, base + height]), 0.0, 0.0, yaw)
        self.read()
        self.space.state[0]["p_WB"][2] += max(0.0, self._depth(ground, x, y, yaw, base + height) + CLEAR)
        if self.train is not None:
            self.train.place(self)
        self.start_throttle = 0.0
        self.space.axles[0]["engine_speed"] = self.space.drivetrain[0]["engine_speed"]
        self.space.out[0]["f_H_B"] = 0.0, 0.0, ground.p[0]["gravity"]  # held until the first step
        self.read()

    def _depth(self, ground: Ground, x: float, y: float, yaw: float, z: float) -> float:
        """Return how deep [m] the lowest point of a level vehicle at (x, y, z) [m] is in the ground; negative above it."""
        c, s = math.cos(yaw), math.sin(yaw)
        body = self.description.body_contact[0]
        low = [tuple(point) for point in body["points"][: body["count"]]]
        for hub, radius in zip(self.readout[0]["p_BK"], self.model.tires["radius"], strict=True):
            along = radius * np.linspace(-1.0, 1.0, RIM_POINTS)
            low += [(hub[0] + d, hub[1], hub[2] - math.sqrt(max(radius * radius - d * d, 0.0))) for d in along.tolist()]
        return max(ground.height(x + c * p[0] - s * p[1], y + s * p[0] + c * p[1]) - (z + p[2]) for p in low)

    def _mark_center_of_mass(self) -> None:
        """Store the present center of mass of the complete vehicle in the readout, in B."""
        chassis, corners = self.model.chassis[0], self.model.corners[0]
        moment = chassis["mass"] * chassis["com"] + self.space.work[0]["corners_moment"]
        self.readout[0]["p_BG"] = moment / (chassis["mass"] + corners["corner_mass"].sum())

    def load_object_contact(self) -> None:
        """Compile or load the contact kernel, which a step on a ground with objects calls. Without it, a step passes through objects."""
        self.model.object_contact[0]["kernel"] = touch_objects.address

    def step(self, ground: Ground | GroundArrays, command: Record, h: float) -> None:
        """Advance the vehicle by h seconds under a COMMAND record."""
        vehicle_step(self.model, self.space, arrays_of(ground), command, h)

    def read(self, command: Record | None = None) -> Record:
        """Return the READOUT record of the present state; the next call overwrites it."""
        if self._show is None:
            points = find_points if self.model.tables.grid[0]["theta_cells"] > 0 else show_points
            self._show = compiled_call(points, self.model, self.space), compiled_call(read_vehicle, self.model, self.space, self.readout)
        show_points_here, read_here = self._show
        show_points_here(self.model, self.space)
        read_here(self.model, self.space, self.readout)
        self.readout[0]["time"] = shown_time(self.readout[0]["time"])
        if self._may_stop:
            self._report_faults()
        if self.space.object_contact[0]["lost"] and "contact" not in self._reported:
            self._reported.add("contact")
            self.troubles.append(
                f"contact: more than {PAIRS} pairs of a part of the vehicle and an object are close; the vehicle may pass through some objects"
            )
        if command is not None:
            out, given = self.readout[0], command[0]
            out["steering"], out["throttle"], out["brake"] = given["steering"], given["throttle"], given["brake"]
        return self.readout

    def _report_faults(self) -> None:
        """Report, once per wheel, axle, controller, steering or drivetrain, a plugin part that was switched off or stopped."""
        for corner in self.stopped():
            if corner.key not in self._reported:
                self._reported.add(corner.key)
                self.troubles.append(f"{corner.kind}, {corner.key}: returned a non-finite number; the axle is fixed in its last position")
        for name in self.description.controllers.off(self.space.controls):
            if name not in self._reported:
                self._reported.add(name)
                self.troubles.append(f"controller {name}: requested a non-finite number; it is switched off")
        if self.space.drive_state["off"].any() and "drivetrain" not in self._reported:
            self._reported.add("drivetrain")
            self.troubles.append(f"drivetrain {self.drivetrain.kind.name}: returned a non-finite number; it is switched off")
        if self.space.steering[0]["off"] and "steering" not in self._reported:
            self._reported.add("steering")
            name = self.description.steering_kind.name
            self.troubles.append(f"steering {name}: returned a non-finite number; the steering is fixed in its last position")
        off = [i for i in self.tires.outside if self.space.treads[i]["off"] and i not in self._reported]
        if off:
            self._reported.update(off)
            of = ", ".join(f"{self.tires.laws[i].name} at {self.corner_names[i]}" for i in off)
            self.troubles.append(f"tire model {of}: returned a non-finite number; it is switched off there")

    @property
    def size(self) -> AxleLayout:
        """Numbers of axles and wheels."""
        return self.description.mechanism.size

    @property
    def wheel_centers(self) -> NDArray[np.float64]:
        """Centers (wheels, 3) of the wheels in the design position, in B [m]."""
        return _wheel_centers(self.description)

    @property
    def readout_table(self) -> Table:
        """READOUT table with the names of this vehicle's wheels."""
        return _readout_of(self.description.mechanism.axles)

    @property
    def corner_names(self) -> tuple[str, ...]:
        """Names of the corners: FL, FR and so on."""
        return self.description.mechanism.axles.corners

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """Further records for a log, as (prefix, table, record): states of plugin tire models, of controllers, of their actuators, of
        the steering, of the drivetrain and of the contact of the body."""
        records = self.description.controllers.logged(self.space.controls, self.corner_names)
        if self.description.actuators.view(np.float64).any():
            records.append(logged_actuators(self.space.actuators, self.corner_names))
        if self.description.steering_kind.state:
            records.append(logged_steering(self.space.steering, self.description.steering_kind.state))
        records += self.drivetrain.logged(self.space, self.description.mechanism.axles)
        records.append(
            ("body_contact_", BODY_CONTACT_LOG, view_as(self.space.body_contact, BODY_CONTACT_LOG, dtype_of(BODY_CONTACT_STATE)))
        )
        records += logged_heat(self.model.tire_heat, self.space.tire_heat, self.description.mechanism.axles)
        return [*self.tires.logged(self.space.treads, self.corner_names), *records]

    @property
    def speed(self) -> float:
        """Speed over ground of the chassis reference point [m/s], + = forward."""
        v = self.space.state[0]["v_WB_B"]
        return math.copysign(math.hypot(v[0], v[1]), v[0])


@cache
def _readout_of(axles: Axles) -> Table:
    return axles.named(READOUT)


def _model(description: Description, tires: TireSet, parts: DrivetrainParts, file: str) -> VehicleModel:
    mechanism = description.mechanism
    if description.controllers.units and parts.brakes[0]["hydraulic"] == 0:
        raise ConfigError(file, "brakes", "max_torque", "hydraulics and discs, because the controllers of the vehicle operate valves")
    return VehicleModel(
        chassis=mechanism.chassis,
        corners=mechanism.corners,
        struts=mechanism.struts,
        steering=description.steering,
        body=description.body,
        body_contact=description.body_contact,
        object_contact=_object_contact(description, tires),
        tires=tires.shared,
        treads=tires.treads,
        tire_heat=tires.heat,
        drivetrain=parts.drivetrain,
        drive=parts.callbacks,
        brakes=parts.brakes,
        controllers=description.controllers.records,
        actuators=description.actuators,
        tables=_tables(description),
        towed=record(COUPLING, 0),
    )


def _object_contact(description: Description, tires: TireSet) -> Record:
    """Return the record of OBJECT_CONTACT with the wheels."""
    out = description.object_contact.copy()
    fill_wheels(out, np.stack((tires.shared["radius"], 0.5 * tires.shared["width"]), axis=1), _wheel_centers(description))
    return out


def _wheel_centers(description: Description) -> NDArray[np.float64]:
    """Return the centers (wheels, 3) of the wheels in the design position, in B [m]."""
    return np.stack([corner.W for corner in description.mechanism.designs])


def _tables(description: Description) -> ReducedTables:
    """Return the suspension tables if the file requests them or an axle has no closed form; otherwise empty tables."""
    m, tolerance = description.mechanism, description.table_tolerance
    if tolerance is None:
        return no_tables(m.size)
    linkages = [corner.linkage for corner in description.design.corners]
    if any(linkages):
        return stored_tables(m, description.steering, tolerance, description.name)
    return build_tables(m, description.steering, tolerance)[0]


def new_space(description: Description, drives: int = 0, heated: int = 0) -> VehicleData:
    """Return all records of a vehicle except its parameters, in the design position.

    drives : number of drivetrains of plugins, heated : number of records of TIRE_HEAT_STATE, 0 or 1
    """
    w, size = new_workspace(description.mechanism), description.mechanism.size
    wheels, controllers = size.wheels, len(description.controllers.units)
    return VehicleData(
        state=w.state,
        blocks=w.blocks,
        inputs=w.inputs,
        loads=w.loads,
        kinematics=w.kinematics,
        points=record_for(POINTS, size),
        work=w.work,
        out=w.out,
        elastic=record_for(ELASTIC, size),
        steering=record(STEERING_STATE),
        tires=tire_states(wheels),
        treads=record(TREAD_STATE, wheels),
        tire_heat=record_for(TIRE_HEAT_STATE, size, heated),
        seen=record(TIRE_INPUT, wheels),
        result=record(TIRE_OUTPUT, wheels),
        carried=record(CARRIED, wheels),
        wheels=record(WHEEL, wheels),
        contacts=record(TIRE_OUT, wheels),
        under=record(SOIL, wheels),
        windows=record(TERRAIN_CACHE, wheels),
        drivetrain=record_for(DRIVETRAIN_STATE, size),
        drive_state=record(CALLBACK_STATE, drives),
        drive_input=record(DRIVETRAIN_INPUT, drives),
        drive_output=record(DRIVETRAIN_OUTPUT, drives),
        brakes=record_for(BRAKE_STATE, size),
        controls=record(CONTROL_STATE, controllers),
        control_input=record(CONTROLLER_INPUT, controllers),
        control_output=record(CONTROLLER_OUTPUT, controllers),
        actuators=record(ACTUATOR_STATE),
        command=record(COMMAND),
        axles=record_for(DRIVETRAIN_OUT, size),
        reduced=record_for(INTERPOLATED, size),
        body_contact=record(BODY_CONTACT_STATE),
        object_contact=record(OBJECT_CONTACT_STATE),
        towing=record(COUPLING_MEMORY, 0),
    )


_LAYOUTS: dict[tuple[AxleLayout, int, int, int], StateMemory] = {}
"""Memory of a vehicle by size and numbers of controllers, of drivetrains of plugins and of records of TIRE_HEAT_STATE: creating the layout takes
ten times as long as copying it."""


def _in_design(description: Description, drives: int, heated: int) -> StateMemory:
    """Return the memory of a vehicle in the design position."""
    mechanism, controllers = description.mechanism, len(description.controllers.units)
    if mechanism.blocks:  # the memory of these corner kinds is unknown
        return in_one_block(new_space(description, drives, heated))
    key = mechanism.size, controllers, drives, heated
    if key not in _LAYOUTS:
        _LAYOUTS[key] = in_one_block(new_space(description, drives, heated))
    memory = _LAYOUTS[key].copied()
    memory.space.inputs[0]["Q"], memory.space.blocks.own[:] = mechanism.Q_design, mechanism.own
    return replace(memory, space=memory.space._replace(windows=record(TERRAIN_CACHE, mechanism.size.wheels)))


def _clear(model: VehicleModel, space: VehicleData) -> None:
    """Clear the state, see `Vehicle.clear`."""
    for part in (*space.of_its_own(), space.blocks.scratch, space.blocks.memory):
        if part is not space.inputs:
            part.view(np.uint8)[:] = 0
    straighten_last_axle(model, space)
    space.state[0]["q_WB"][0] = 1.0
    space.tires[:] = tire_states(len(space.tires))
    rest_treads(model.treads.laws, callback_data(space))
    cool_tires(model, space)
