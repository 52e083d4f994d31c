"""Parts of a session, and the objects of a run that they create: session, drivers, sensors, faults and outlets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from simulator.assistance.assistance import Assistance
from simulator.assistance.lane_keeping import Lane, NetworkLane, PathLane
from simulator.autonomy.goal_driver import GoalDriver
from simulator.autonomy.plan_preview import PlanPreview
from simulator.autonomy.planner_driver import KIND as PLANNER_KIND
from simulator.autonomy.topic_goal_driver import HINT, TopicGoalDriver
from simulator.base.console import print_error
from simulator.base.errors import ConfigError, ErrorCollector
from simulator.builder.other_vehicles import OtherParts, one_more
from simulator.builder.session_builder import SessionBuilder, cueing_of, use_preview
from simulator.builder.session_images import SessionImages
from simulator.builder.start_place import check_apart, check_place
from simulator.builder.traffic import TrafficParts
from simulator.builder.trigger_parts import NO_TRIGGERS, TriggerParts
from simulator.configuration.configuration import Configuration
from simulator.configuration.session_file import SessionOptions
from simulator.driver.contract import Driver, DriverKind, SensingDriver
from simulator.driver.internal_model import InternalModel
from simulator.driver.kinds import DRIVER_KINDS, FOLLOWER
from simulator.driver.make_driver import DriverContext, new_driver, without_a_person
from simulator.driver.path import Spawn
from simulator.faults.contract import FaultContext
from simulator.faults.planned_fault import PlannedFault, make_faults, triggered_fault
from simulator.maneuvers.maneuver_file import Maneuver
from simulator.outlets.foxglove.outlet import foxglove_outlet
from simulator.outlets.kinds import build_outlets
from simulator.outlets.live_topics import LiveTopics, common_groups
from simulator.outlets.log_outlet_runner import LogOutletRunner
from simulator.outlets.outlet_runner import OutletRunner
from simulator.outlets.ros2 import Ros2Sink
from simulator.sensors.make_sensors import SensorContext, make_sensors, mounts_of
from simulator.sensors.mounted_sensor import MountedSensor
from simulator.session import Outlet, Session
from simulator.session_course import SessionCourse
from simulator.session_vehicles import OtherVehicle, trailers_of
from terrain.ground import Ground
from vehicles import step_stability
from vehicles.vehicle import Vehicle
from washout.cueing import MotionCueing
from washout.preview.sources import Preview

NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class SessionParts:
    """Parts of a session."""

    configuration: Configuration
    options: SessionOptions
    vehicle: Vehicle
    ground: Ground
    cueing: MotionCueing
    maneuver: Maneuver | None
    step: float
    """Time step in s."""
    preview: Preview | None
    """Preview of the motion for the washout."""
    ruts: Path | None
    """Rut file loaded at the start of a session."""
    builder: SessionBuilder
    images: SessionImages
    """Rendered images for the sensors."""
    others: tuple[OtherParts, ...] = ()
    """Other vehicles."""
    triggers: TriggerParts = NO_TRIGGERS
    traffic: TrafficParts | None = None
    """Traffic."""
    terrain_ground: Ground | None = None
    """Ground as the terrain describes it, with its start, without the other vehicles."""

    @property
    def gravity(self) -> float:
        """Gravity in m/s2."""
        return float(self.ground.p[0]["gravity"])

    @property
    def terrain(self) -> str:
        """Name of the terrain, also in the files of runs."""
        return Path(self.configuration.name("terrain")).stem

    @cached_property
    def traits(self) -> InternalModel:
        """Internal model of the driver, identified in a test drive."""
        return self.builder.traits(self.vehicle, self.gravity, min(self.step, step_stability.USUAL_STEP))

    @property
    def seed(self) -> int:
        """Default seed of all objects without a seed in a file."""
        if self.options.seed is not None:
            return self.options.seed
        return 0 if self.maneuver is None else self.maneuver.seed

    def ticks(self, period: float) -> int:
        """Return the number of ticks in a period in seconds, at least one."""
        return max(1, round(period / self.step))

    def new_cueing(self) -> MotionCueing:
        """Return a new motion cueing for another run with the same parts."""
        return cueing_of(self.configuration, self.step, self.gravity, self.preview, self.options.intensity)

    def new_sensors(self) -> list[MountedSensor]:
        """Return new sensors. Raises ConfigError, JounceError."""
        with self.configuration.origins.relative_to():
            body = self.vehicle.model.object_contact
            context = SensorContext(self.ground, self.step, self.seed, self.vehicle.description, self.options.weather, body, self.images)
            return make_sensors(self.options.sensors, "", context)

    def driver(
        self, kind: DriverKind, *, paced: bool, parameters: Mapping[str, Any] = NOTHING, here: tuple[float, float, float] | None = None
    ) -> Driver | SensingDriver:
        """Return a new automatic driver; `paced`: in real time; `parameters`: own parameters of the kind; `here`: pose (x, y, yaw) at which it takes
        over. Raises ConfigError, JounceError."""
        mounts = mounts_of(self.options.sensors)
        context = DriverContext(self.ground, self.maneuver, self.seed, self.traits, self.vehicle, mounts)
        return new_driver(kind, context, paced, parameters, here)

    def automatic_driver(self) -> Driver | SensingDriver | None:
        """Return a new automatic driver of the session, else the driver of the maneuver, for a run; None without both. Raises as `driver`."""
        chosen = without_a_person(self.options.driver)
        if chosen.name == FOLLOWER:
            return None if self.maneuver is None else self.maneuver_driver()
        return self.driver(DRIVER_KINDS.need(chosen.name), paced=False, parameters=chosen.parameters)

    def maneuver_driver(self, here: tuple[float, float, float] | None = None) -> Driver | SensingDriver:
        """Return a new driver of the maneuver, for a run; `here` as for `driver`. Raises ConfigError, JounceError."""
        return self.driver(DRIVER_KINDS.need(FOLLOWER), paced=False, here=here)

    def check_equilibrium(self) -> None:
        """Check that the vehicle stands at the start of the ground, by placing it there; a dropped one need not. Raises ConfigError, JounceError."""
        if self.maneuver is not None and self.maneuver.start.drop is not None:
            return
        with self.configuration.origins.at_start():
            self.vehicle.reset(self.ground, *self.ground.spawn)

    def new_faults(self) -> list[PlannedFault]:
        """Return new faults: those of the maneuver, then those of the session. Raises ConfigError, JounceError."""
        planned = () if self.maneuver is None else self.maneuver.faults
        faults: list[PlannedFault] = []
        if not planned and not self.options.faults:
            return faults
        context, origins = self._fault_context, self.configuration.origins
        with ErrorCollector() as errors:
            with errors.part(), origins.about(("maneuver",)):
                faults += make_faults(planned, context)
            with errors.part(), origins.relative_to():
                faults += make_faults(self.options.faults, context, [fault.name for fault in faults])
        return faults

    def trigger_faults(self, known: Sequence[PlannedFault]) -> list[tuple[str, str, PlannedFault]]:
        """Return the name of the trigger, the name of the other vehicle (empty: the first one) and a new fault, in addition to those `known`.

        Raises ConfigError, JounceError.
        """
        out: list[tuple[str, str, PlannedFault]] = []
        others, names = {one.options.name: one for one in self.others}, [fault.name for fault in known]
        with ErrorCollector() as errors, self.configuration.origins.relative_to():
            for trigger, section in self.triggers.faults:
                with errors.part():
                    owner = section.get("vehicle") or ""
                    context = FaultContext(others[owner].vehicle, (), ()) if owner else self._fault_context
                    own = triggered_fault(section["fault"], context, trigger, names)
                    if owner and own.kind.of_session:
                        raise section.error("fault", f"a fault of one vehicle; {own.kind.name} is one of the session")
                    names.append(own.name)
                    out.append((trigger, owner, own))
        return out

    def more_faults(self, given: Sequence[Any], present: Sequence[PlannedFault]) -> list[PlannedFault]:
        """Return faults, described as in a session file, in addition to those `present`. Raises ConfigError, JounceError."""
        return make_faults(given, self._fault_context, [fault.name for fault in present])

    def check_place(self, session: Session, x: float, y: float, yaw: float) -> None:
        """Check that the vehicle of a session has room at x, y [m] with the heading yaw [rad]. Raises ConfigError."""
        check_place(self.ground, session.objects, session.time, self.vehicle.description, (x, y, yaw))

    def more_vehicle(self, entry: Mapping[str, Any], session: Session) -> tuple[OtherVehicle, dict[str, Any]]:
        """Return another vehicle, described as in the list `vehicles` of a session file, which may enter the session, and the complete entry.

        Raises ConfigError.
        """
        ground = self.ground if self.terrain_ground is None else self.terrain_ground
        known = [one.name for one in session.others.vehicles]
        try:
            parts, complete = one_more(entry, known, (self.builder, self.vehicle, ground, self.step, self.options.faults))
        except ConfigError as error:
            raise error.moved_to("vehicle", error.errors[0].key.removeprefix("vehicles[0].")) from None
        vehicle = parts.new(session.clock is not None, enters=False)
        if vehicle.name in session.objects.names:
            raise ConfigError("vehicle", "name", vehicle.name, "a name that no object has")
        return vehicle, complete

    def check_entry(self, session: Session, vehicle: OtherVehicle) -> None:
        """Check that another vehicle of a session has room at its start. Raises ConfigError."""
        x = session.vehicle.space.state[0]
        here = float(x["p_WB"][0]), float(x["p_WB"][1]), session.recovery.heading
        try:
            check_apart(self.vehicle.description, here, vehicle.vehicle.description, vehicle.start)
            check_place(self.ground, session.objects, session.time, vehicle.vehicle.description, vehicle.start)
        except ConfigError as error:
            raise error.moved_to("vehicle", "position") from None

    @property
    def _fault_context(self) -> FaultContext:
        phases = () if self.maneuver is None else self.maneuver.phase_names
        return FaultContext(self.vehicle, tuple(mounts_of(self.options.sensors)), phases)

    def session(
        self,
        driver: Driver | SensingDriver,
        outlets: Iterable[Outlet] = (),
        sensors: list[MountedSensor] | None = None,
        *,
        paced: bool = False,
    ) -> Session:
        """Return a session with the vehicle in its present state; default: new `sensors`; `paced`: in real time. Raises ConfigError,
        JounceError."""
        measuring = self.new_sensors() if sensors is None else sensors
        session = Session(self.vehicle, self.ground, driver, self.cueing, list(outlets), self.step, measuring, self.options.weather)
        others: list[OtherVehicle] = [*trailers_of(self.vehicle), *(one.new(paced) for one in self.others)]
        if self.traffic is not None:
            session.traffic, full = self.traffic.new()
            session.others.traffic = session.traffic
            others += full
        session.others.add(others)
        session.assistance = self._assistance()
        if self.maneuver is not None and self.maneuver.placed_course is not None:
            names = [one.name for one in others]
            if (leader := self.maneuver.placed_course.section.leader) not in (None, *names):
                known = f"the name of one of the other vehicles: {', '.join(names)}" if names else "a session with other vehicles"
                raise ConfigError(self.maneuver.file, "timed_course.leader", leader, known)
            session.course = SessionCourse(self.maneuver.placed_course, self.maneuver.name)
        session.preview = self._plan_preview(session)
        session.message_origins = self.configuration.origins.at_start
        if self.maneuver is not None:
            session.start_speed, session.start_drop = self.maneuver.start.speed, self.maneuver.start.drop
        faults = self.new_faults()
        triggered = self.trigger_faults(faults)
        session.injector.add([*faults, *(fault for _, owner, fault in triggered if not owner)])
        for _, owner, fault in triggered:
            if owner:
                session.others.find(owner).add_fault(fault, self.ground.arrays)
        session.triggers.add(
            self.triggers.triggers, [(trigger, fault) for trigger, _, fault in triggered], self.triggers.encounters, self.triggers.start
        )
        session.injector.make, session.place_check = self.more_faults, self.check_place
        if self.ruts is not None:
            session.soil.load(self.ruts, self.terrain)
        self.images.soil = session.soil
        return session

    def new_lane(self) -> Lane | None:
        """Return the lane to keep, None without lane keeping. Raises ConfigError: there is none."""
        options = self.options.assistance
        if options is None or options.lane_keeping is None:
            return None
        if self.ground.lanes is not None:
            return NetworkLane(self.ground.lanes)
        if self.maneuver is not None and self.maneuver.path is not None:
            return PathLane(self.maneuver.path.placed(Spawn(*self.ground.spawn)), options.lane_keeping.width)
        where = self.configuration.origins.of("assistance.lane_keeping")
        raise where.wrong("lane_keeping", "a terrain with lanes, or a maneuver with a path")

    def _plan_preview(self, session: Session) -> PlanPreview | None:
        """Return the preview of the plan for the washout, None if the session requests none. Raises ConfigError: no planner, or no use for it."""
        requested = self.options.preview
        if requested is None or requested.run:
            return None
        drivers = [kind.name for kind in self.options.takeover or ()]
        if not isinstance(session.driver, GoalDriver) and PLANNER_KIND.name not in drivers:
            raise self.configuration.origins.of("preview").wrong("plan", "a drive to a goal, or the driver planner")
        head = float(self.vehicle.description.body[0]["drivers_head"][0])
        preview = PlanPreview(session, head, self.gravity, requested.step, requested.points)
        use_preview(self.configuration, self.cueing, preview)
        return preview

    def _assistance(self) -> Assistance | None:
        """Return new driver assistance, None without the section. Raises ConfigError."""
        options = self.options.assistance
        return None if options is None else Assistance(options, self.vehicle, self.traits, self.new_lane())

    def outlets(self, folder: Path) -> list[OutletRunner | LogOutletRunner]:
        """Return the plugin outlets for the folder of a run. Raises ConfigError, JounceError."""
        with self.configuration.origins.relative_to():
            return build_outlets(self.options.outlets, "", folder, self.step, "outlets.plugins")

    def add_live_outlets(self, session: Session, note: Callable[[str], None] = print_error) -> None:
        """Add the outlets for live topics to a session; `note` is called with one-line messages. Raises JounceError: a network cannot be used."""
        ros2 = self.options.ros2
        if ros2 is not None:
            groups = common_groups(session, ros2.truth, ros2.map_rate, ros2.objects_rate)
            session.output.outlets.append(LiveTopics(session, Ros2Sink(ros2), ros2.rate, "outlets.ros2", groups, note))
            note(f"ROS 2: topics in domain {ros2.domain} on the interface {ros2.interface}")
            if not isinstance(session.driver, TopicGoalDriver):
                note(f"ROS 2: no planner follows /goal_pose; hint: {HINT}")
        if self.options.foxglove is not None:
            maneuver = None if self.maneuver is None else self.maneuver.name
            about: dict[str, Any] = {"vehicle": self.configuration.name("vehicle"), "terrain": self.terrain, "maneuver": maneuver}
            about |= {"step_s": self.step, "seed": self.seed}
            session.output.outlets.append(foxglove_outlet(session, self.options.foxglove, about, note))
