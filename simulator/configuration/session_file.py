"""Session file: vehicle, terrain, maneuver, driver, outlets, sensors and options of a session. All keys are optional."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from simulator import weather
from simulator.assistance.section import ASSISTANCE_FIELD, AssistanceOptions
from simulator.base.errors import NOTHING, ConfigError, ErrorCollector
from simulator.base.fields import Anything, Choice, Either, Field, Fields, Flag, Group, ListOf, Named, Number, Text, Variants, read
from simulator.base.registry import KindChoice
from simulator.configuration.configuration import Configuration
from simulator.configuration.traffic_section import TRAFFIC, TrafficOptions, traffic_options
from simulator.configuration.vehicles_section import OtherOptions, check_leader, other_options, vehicles_field
from simulator.driver.kinds import DRIVER_KINDS
from simulator.driver.make_driver import AUTO, driver_fields, driver_names, role_of
from simulator.events.sound_controls import VOLUME
from simulator.faults.kinds import FAULTS
from simulator.maneuvers.maneuver_file import DRIVER_PERIOD
from simulator.motion.protocols.kinds import DEFAULT, PROTOCOL_KINDS, protocol_fields, stream_words
from simulator.outlets.foxglove import options as foxglove
from simulator.outlets.foxglove.options import FoxgloveOptions
from simulator.ros2 import options as ros2
from simulator.ros2.options import Ros2Options
from simulator.sensors.kinds import SENSOR_FILE
from simulator.telemetry.writer import LOG_RATE, LogChoice
from simulator.triggers.section import TRIGGERS, Trigger, read_triggers
from simulator.weather import CLEAR, Weather
from terrain.objects.section import OBJECTS
from terrain.wind import FASTEST_WIND, GUSTS
from washout.contract import PREVIEW_POINTS
from washout.intensity import MOST

VIEWS = ("auto", "window", "offscreen", "none")
CONTENTS = ("vehicle", "terrain", "maneuver", "washout", "platform", "soils")
"""Keys of a session whose content other modules read."""
THIS_MACHINE = "127.0.0.1"
STEERING = ("angle", "torque")
"""Steering inputs."""

MAX_DURATION = 1e6
"""Maximum simulated time [s]."""
SHORTEST_STEP, LONGEST_STEP = 5e-5, 0.01
"""Limits of the step [s], as in a maneuver."""
LARGEST_SEED = 2**32
WAIT_AUTO = SOUND_AUTO = "auto"
ON_LOSS = ("neutral", "park", "continue")
"""Effects of a lost operator on a platform that is up."""


def _kind_entry(names: Callable[[], tuple[str, ...]], own: Callable[[str], Fields]) -> Either:
    """Return the type of an entry that names a registered kind, alone or with its parameters."""
    return Either((Choice(names), Variants("type", own, names, "name of the kind")))


_NAMED = "a name, the path of a file, or the content itself"
_WITH_PARAMETERS = "a name, or a mapping of `type` and its own keys"
_TELEMETRY = (
    Field("rate", Number("Hz", 0.1, 1.0 / SHORTEST_STEP), "log rate, rows per second", LOG_RATE),
    Field(
        "channels",
        ListOf(Text("a name or pattern, for example F_C_*_z")),
        "logged columns: names, fields and wildcards (default: all)",
        (),
    ),
    Field("csv", Flag(), "true to write the log as CSV, too", False),
)
_PROTOCOL = Field("protocol", _kind_entry(PROTOCOL_KINDS.names, protocol_fields), f"protocol of the packets: {_WITH_PARAMETERS}", DEFAULT)
_RATE = Field(
    "rate",
    Number("Hz", 1.0, 1000.0),
    "packets per second, spaced as evenly as the ticks allow (default: rate of the protocol)",
    None,
)
_MOTION = (
    Field("on", Flag(), "true for a motion stream", True),
    _PROTOCOL,
    _RATE,
    Field("to", Text("HOST or HOST:PORT"), "address of the platform (default: built-in virtual platform)", None),
    Field(
        "wait",
        Either((Flag(), Choice((WAIT_AUTO,), "true, false or"))),
        "true to start a drive after the platform has risen, so that the platform reproduces the start; `auto`: true for a platform at an "
        "address; the built-in virtual platform joins the drive when it is up",
        WAIT_AUTO,
    ),
)
_STREAM = (
    _PROTOCOL,
    _RATE,
    Field("to", Text("HOST or HOST:PORT"), "destination; 127.0.0.1: this machine", THIS_MACHINE),
)
_STREAM_WORDS = "PROTOCOL, PROTOCOL@HOST or PROTOCOL@HOST:PORT"
_SOUND = (
    Field("on", Either((Flag(), Choice((SOUND_AUTO,), "true, false or"))), "true for sound; `auto`: in a drive with a window", SOUND_AUTO),
    Field("volume", Number("1", 0.0, 1.0), "volume at the start", VOLUME),
    Field("device", Text("a name"), "sound device: name, or part of it; `null` plays nothing (default: device of the system)", ""),
)
_OUTLETS = (
    Field("telemetry", Group(_TELEMETRY), "log", None),
    Field("motion", Group(_MOTION), "motion stream", None),
    Field(
        "streams",
        ListOf(Either((Text(_STREAM_WORDS), Group(_STREAM)))),
        f"further motion streams, independent of `motion`: each {_STREAM_WORDS}, or a mapping",
        (),
    ),
    Field("view", Choice(VIEWS), "view of the drive", VIEWS[0]),
    Field("ros2", Group(ros2.FIELDS), "topics of ROS 2 (docs/ros2.md)", None),
    Field("foxglove", Group(foxglove.FIELDS), "server for Foxglove and Lichtblick (docs/foxglove.md)", None),
    Field("sound", Group(_SOUND), "sound of a drive", None),
    Field("force_feedback", Flag(), "true for force feedback and rumble of the input device, as in its profile", True),
    Field(  # checked when the outlets are created: sweeps and reruns create none, and do not need their plugins
        "plugins", Anything("a list of outlets"), "third-party outlets, each a name, or a mapping of `type`, `rate` and its own keys", ()
    ),
)
PREVIEW_OF_PLAN = "plan"
_PREVIEW = (
    Field(
        "source",
        Choice(("run", PREVIEW_OF_PLAN)),
        "`run`: an earlier run; `plan`: the plan of a drive to a goal, rolled out on a single-track model",
        "run",
    ),
    Field(
        "run",
        Text("the folder of a run, or its telemetry file"),
        "folder or telemetry file of an earlier run of this drive (`source: run`, required)",
        "",
    ),
    Field("horizon", Number("s", SHORTEST_STEP, 1000.0), f"time horizon of the preview, at most {PREVIEW_POINTS} steps", 1.0),
    Field("step", Number("s", SHORTEST_STEP, 100.0), "time between two points, at least the row spacing of the run", 0.02),
)
_WORLD = (
    Field("gravity", Number("m/s2", 0.0, 100.0), "acceleration of free fall, instead of the value of the terrain", None),
    Field(
        "wind",
        Number("m/s", -FASTEST_WIND, FASTEST_WIND, shape=(3,)),
        "wind velocity, instead of the value of the terrain",
        None,
        "the world",
    ),
    Field("gusts", Group(GUSTS), "gusts, instead of the gusts of the terrain", None),
)
_CONSOLE = (
    Field(
        "on_loss",
        Choice(ON_LOSS),
        "effect on the platform if the operator's page is lost for 3 s; `neutral`: the vehicle pauses and the platform moves to neutral",
        ON_LOSS[0],
    ),
)
FILE = (
    Field("title", Text(), "one-line description", None),
    *(Field(name, Anything(_NAMED), f"{name}: {_NAMED}", None) for name in CONTENTS if name != "soils"),
    Field(
        "soils",
        Named(Either((Text(), Named(Anything())), _NAMED), f"names of soils, each with {_NAMED}"),
        "contents of soils by name",
        None,
    ),
    Field("driver", _kind_entry(driver_names, driver_fields), f"driver: {_WITH_PARAMETERS}", AUTO),
    Field(
        "takeover",
        ListOf(_kind_entry(driver_names, driver_fields)),
        f"further drivers, who may take over during a drive: each {_WITH_PARAMETERS}; the driver himself is left out (default: in a drive "
        "with a window and an automatic driver, `auto`: a person; else none)",
        None,
    ),
    Field(
        "reverse_by_brake",
        Flag(),
        "true: at rest, the brake of a human driver selects reverse, and brake and throttle change roles (default: true with keyboard and "
        "game controller, false with a steering wheel)",
        None,
    ),
    Field(
        "duration",
        Number("s", 0.0, MAX_DURATION, above=0.0),
        "simulated time (default: duration of the maneuver, or until the user stops the drive)",
        None,
    ),
    Field("step", Number("s", SHORTEST_STEP, LONGEST_STEP), "time step (default: step of the maneuver, or 1 ms)", None),
    Field("seed", Number("", 0, LARGEST_SEED, whole=True), "seed of all random numbers (default: seeds of the files)", None),
    Field("world", Group(_WORLD), "gravity, wind and gusts", None),
    Field("weather", Group(weather.FIELDS), "weather: picture, sensors and sound (docs/weather.md)", None),
    replace(OBJECTS, meaning="objects in addition to those of the terrain"),
    vehicles_field(_kind_entry(DRIVER_KINDS.names, driver_fields)),
    TRIGGERS,
    TRAFFIC,
    Field(
        "steering",
        Choice(STEERING),
        "steering input; `angle`: angle of the steering wheel; `torque`: torque of the driver against the steering torque of the road (default: "
        "set by the maneuver, else angle)",
        None,
    ),
    Field(
        "intensity",
        Number("1", 0.0, MOST),
        "initial scale of the motion input of the washout; keys change it during the drive",
        1.0,
    ),
    Field("outlets", Group(_OUTLETS), "outlets of the session", None),
    Field("console", Group(_CONSOLE), "console of the operator, of a drive with `--console`", None),
    Field(
        "sensors",
        ListOf(Either((SENSOR_FILE.choice(), SENSOR_FILE))),
        "sensors, each a name, or a mapping of `type`, `name`, `rate`, `mount` and its own keys",
        (),
    ),
    FAULTS,
    ASSISTANCE_FIELD,
    Field("preview", Group(_PREVIEW), "preview of a washout, from an earlier run or from the plan of a planner", None),
    Field(
        "ruts",
        Text("the folder of a run, or its ruts.npz"),
        "earlier run on this terrain whose ruts are the initial ruts (default: undisturbed soil)",
        None,
    ),
    Field("recorded", Anything("origin of a log"), "origin of the configuration, written by a log", None),
)
"""Table of a file in ``configs/sessions``."""


@dataclass(frozen=True)
class MotionOptions:
    """Options of the motion stream."""

    on: bool
    protocol: KindChoice
    rate: float | None
    """Packets per second; None: rate of the protocol."""
    to: str | None
    """HOST or HOST:PORT; None: built-in virtual platform."""
    wait: bool | None
    """True if a drive starts after the platform has risen; None: only if the platform is at an address."""


@dataclass(frozen=True)
class StreamOptions:
    """Options of a further motion stream."""

    protocol: KindChoice
    rate: float | None
    """Packets per second; None: rate of the protocol."""
    to: tuple[str, int]
    """Host and port."""


@dataclass(frozen=True)
class SoundOptions:
    """Options of the sound."""

    on: bool | None
    """None: only if the drive has a window."""
    volume: float
    """Volume at the start, 0 to 1."""
    device: str
    """Name of the device, or a part of it; empty: the default device."""


@dataclass(frozen=True)
class PreviewOptions:
    """Options of the preview of a washout."""

    run: str
    """Folder or log of an earlier run; empty: the plan of the driver."""
    step: float
    """Time between two points [s]."""
    points: int


@dataclass(frozen=True)
class SessionOptions:
    """Options of a session, without the files that it names."""

    title: str
    driver: KindChoice
    takeover: tuple[KindChoice, ...] | None
    """Further drivers, who may take over; None: a person, in a drive with a window and an automatic driver."""
    reverse_by_brake: bool | None
    """Whether the brake of a human driver selects reverse at rest; None: depends on the device."""
    view: str
    force_feedback: bool
    """True for force feedback and rumble of the input device."""
    duration: float | None
    """Simulated time [s]; None: duration of the maneuver, or until the user stops the drive."""
    step: float | None
    """Time step [s]; None: step of the maneuver, or 1 ms."""
    seed: int | None
    """Seed of all random numbers; None: seeds of the files."""
    gravity: float | None
    """Acceleration of free fall [m/s2], instead of the value of the terrain."""
    wind: tuple[float, float, float] | None
    """Wind velocity in W [m/s], instead of the value of the terrain."""
    gusts: dict[str, float] | None
    """Gusts by the names of `terrain.wind.GUSTS`, instead of the gusts of the terrain."""
    weather: Weather
    steering: str | None
    """Element of STEERING; None: set by the maneuver."""
    intensity: float
    """Initial scale of the motion input of the washout."""
    motion: MotionOptions
    streams: list[StreamOptions]
    """Further motion streams."""
    sound: SoundOptions
    log: LogChoice
    ros2: Ros2Options | None
    """Topics of ROS 2; None: none."""
    foxglove: FoxgloveOptions | None
    """Server for Foxglove; None: none."""
    outlets: Sequence[Any]
    """Third-party outlets, the argument of `simulator.outlets.kinds.build_outlets`."""
    sensors: tuple[Any, ...]
    """Sensors, the argument of `simulator.sensors.make_sensors.make_sensors`."""
    faults: tuple[Any, ...]
    """Faults in addition to those of the maneuver, the argument of `simulator.faults.planned_fault.make_faults`."""
    preview: PreviewOptions | None
    on_loss: str
    """Effect of a lost operator, one of ON_LOSS."""
    ruts: str | None
    """Folder or rut file of an earlier run."""
    vehicles: tuple[OtherOptions, ...]
    """Other vehicles."""
    assistance: AssistanceOptions | None
    """Driver assistance; None: none."""
    triggers: tuple[Trigger, ...]
    traffic: TrafficOptions | None

    @property
    def drivers(self) -> dict[str, KindChoice]:
        """Drivers who may drive by their names in a drive, the first one first."""
        return {role_of(one): one for one in (self.driver, *(self.takeover or ()))}


def read_session(configuration: Configuration) -> SessionOptions:
    """Return the checked options of a session. Raises ConfigError: unknown key, invalid type, number out of range."""
    file = configuration.layer.origins[()].source
    with configuration.origins.relative_to():
        configuration.note_sensor_files()
        values = read(FILE, configuration.layer.content, file)
        outlets, world = read(_OUTLETS, values.get("outlets", {}), file, "outlets"), values.get("world", {})
        telemetry = read(_TELEMETRY, outlets.get("telemetry", {}), file, "outlets.telemetry")
        sound = read(_SOUND, outlets.get("sound", {}), file, "outlets.sound")
        with ErrorCollector() as errors:
            with errors.part():
                _check_step(values.get("step"), file)
            with errors.part():
                vehicles = other_options(values["vehicles"], file)
                check_leader(KindChoice.of(values["driver"]), file, "driver.vehicle", [one.name for one in vehicles])
            with errors.part():
                assistance = AssistanceOptions.of(values["assistance"], file) if "assistance" in values else None
            with errors.part():
                triggers = read_triggers(values["triggers"], configuration.layer.content.get("triggers") or (), file)
            with errors.part():
                traffic = traffic_options(values.get("traffic"), file)
            with errors.part():
                takeover = _takeover(values, file)
            with errors.part():
                motion = _motion(read(_MOTION, outlets.get("motion", {}), file, "outlets.motion"), file)
            with errors.part():
                topics = Ros2Options.of(outlets["ros2"], file) if "ros2" in outlets else None
            with errors.part():
                streams = [_stream(one, file, f"outlets.streams[{n}]") for n, one in enumerate(outlets["streams"])]
            with errors.part():
                preview = _preview(values["preview"], file) if "preview" in values else None
        return SessionOptions(
            title=values.get("title", ""),
            driver=KindChoice.of(values["driver"]),
            takeover=takeover,
            reverse_by_brake=values.get("reverse_by_brake"),
            view=outlets["view"],
            force_feedback=outlets["force_feedback"],
            duration=values.get("duration"),
            step=values.get("step"),
            seed=int(values["seed"]) if "seed" in values else None,
            gravity=world.get("gravity"),
            wind=tuple(map(float, world["wind"])) if "wind" in world else None,  # type: ignore[arg-type]
            gusts=dict(world["gusts"]) if "gusts" in world else None,
            weather=Weather.of(values["weather"]) if "weather" in values else CLEAR,
            steering=values.get("steering"),
            intensity=values["intensity"],
            motion=motion,
            streams=streams,
            sound=SoundOptions(None if sound["on"] == SOUND_AUTO else sound["on"], sound["volume"], sound["device"]),
            log=LogChoice(tuple(telemetry["channels"]), telemetry["rate"], telemetry["csv"]),
            ros2=topics,
            foxglove=FoxgloveOptions.of(outlets["foxglove"]) if "foxglove" in outlets else None,
            outlets=outlets["plugins"],
            sensors=values["sensors"],
            faults=values["faults"],
            preview=preview,
            on_loss=read(_CONSOLE, values.get("console", {}), file, "console")["on_loss"],
            ruts=values.get("ruts"),
            vehicles=vehicles,
            assistance=assistance,
            triggers=triggers,
            traffic=traffic,
        )


def read_vehicles(configuration: Configuration, known: Sequence[str]) -> tuple[OtherOptions, ...]:
    """Return the options of the list `vehicles` of a configuration, in addition to vehicles with names that are `known`. Raises ConfigError."""
    file = configuration.layer.origins[()].source
    return other_options(read(FILE, configuration.layer.content, file)["vehicles"], file, known)


def _takeover(values: Mapping[str, Any], file: str) -> tuple[KindChoice, ...] | None:
    if "takeover" not in values:
        return None
    given = tuple(map(KindChoice.of, values["takeover"]))
    names = [role_of(one) for one in given]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(file, "takeover", [one.name for one in given], f"drivers that differ; {name} is there more than once")
    first = role_of(KindChoice.of(values["driver"]))
    return tuple(one for one in given if role_of(one) != first)


def _motion(values: Mapping[str, Any], file: str) -> MotionOptions:
    protocol, to = KindChoice.of(values["protocol"]), values.get("to")
    if to is not None:
        parse_address(to, protocol.name, file, "outlets.motion.to")
    wait = None if values["wait"] == WAIT_AUTO else values["wait"]
    return MotionOptions(values["on"], protocol, values.get("rate"), to, wait)


def _stream(values: Mapping[str, Any] | str, file: str, key: str) -> StreamOptions:
    if isinstance(values, str):
        values = read(_STREAM, stream_words(values), file, key)
    protocol = KindChoice.of(values["protocol"])
    return StreamOptions(protocol, values.get("rate"), parse_address(values["to"], protocol.name, file, f"{key}.to"))


def _preview(values: Mapping[str, Any], file: str) -> PreviewOptions:
    points = round(values["horizon"] / values["step"])
    if not (1 <= points <= PREVIEW_POINTS and math.isclose(points * values["step"], values["horizon"], rel_tol=1e-6)):
        expected = f"a number in s, 1 to {PREVIEW_POINTS} steps of {values['step']:g} s"
        raise ConfigError(file, "preview.horizon", values["horizon"], expected)
    of_plan = values["source"] == PREVIEW_OF_PLAN
    if of_plan == bool(values["run"]):
        if of_plan:
            raise ConfigError(file, "preview.run", values["run"], "no run with `source: plan`")
        raise ConfigError(file, "preview.run", NOTHING, "the folder of a run, or its telemetry file (or `source: plan`)")
    return PreviewOptions(values["run"], values["step"], points)


def _check_step(step: float | None, file: str) -> None:
    if step is not None and not math.isclose(DRIVER_PERIOD / step, round(DRIVER_PERIOD / step), abs_tol=1e-6):
        raise ConfigError(file, "step", step, f"a step in s that divides {DRIVER_PERIOD:g} s, the period of the driver")


def parse_address(text: str, protocol: str, file: str = "--to", key: str = "") -> tuple[str, int]:
    """Return host and port of HOST or HOST:PORT; `file` and `key` are for messages. Raises ConfigError."""
    host, colon, port = text.rpartition(":")
    if text and not colon:
        return text, PROTOCOL_KINDS.need(protocol).port
    if not host or ":" in host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise ConfigError(file, key, text, "HOST or HOST:PORT with a port from 1 to 65535")
    return host, int(port)
