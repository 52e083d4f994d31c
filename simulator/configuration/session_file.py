"""A session file: what is driven where by whom, what hangs on it, and the numbers of the session itself. Everything may be left out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector, raise_all
from simulator.base.fields import Anything, Choice, Either, Field, Fields, Flag, Group, ListOf, Number, Text, Variants, read
from simulator.base.registry import Chosen
from simulator.configuration.configuration import Configuration
from simulator.driver.make_driver import AUTO, driver_fields, driver_names
from simulator.maneuvers.maneuver_file import DRIVER_PERIOD
from simulator.motion.protocols.kinds import DEFAULT, PROTOCOL_KINDS, protocol_fields, stream_words
from simulator.telemetry.writer import LOG_RATE, LogChoice
from terrain.wind import FASTEST_WIND, GUSTS
from washout.contract import PREVIEW_POINTS
from washout.intensity import MOST

VIEWS = ("auto", "window", "offscreen", "none")
CONTENTS = ("vehicle", "terrain", "maneuver", "washout", "platform", "soils")
"""Keys of a session whose content is read by others."""
THIS_MACHINE = "127.0.0.1"
STEERING = ("angle", "torque")
"""What the hands give to the steering wheel."""

MOST_SECONDS = 1e6
"""s. Nobody drives longer."""
SHORTEST_STEP, LONGEST_STEP = 5e-5, 0.01
"""s, as of a maneuver."""
LARGEST_SEED = 2**32


def _tenant(names: Callable[[], tuple[str, ...]], own: Callable[[str], Fields]) -> Either:
    """A tenant by its name, or with parameters of its own."""
    return Either((Choice(names), Variants("type", own, names, "which one")))


_NAMED = "a name, the path of a file, or the content itself"
_WITH_PARAMETERS = "a name, or a mapping of `type` and its own keys"
_TELEMETRY = (
    Field("rate", Number("Hz", 0.1, 1.0 / SHORTEST_STEP), "rows per second", LOG_RATE),
    Field(
        "channels",
        ListOf(Text("a name or pattern, for example F_C_*_z")),
        "columns that are logged, names, whole fields and wildcards; all when left out",
        None,
    ),
    Field("csv", Flag(), "also as CSV", False),
)
_PROTOCOL = Field("protocol", _tenant(PROTOCOL_KINDS.names, protocol_fields), f"packets: {_WITH_PARAMETERS}", DEFAULT)
_RATE = Field(
    "rate",
    Number("Hz", 1.0, 1000.0),
    "packets per second, spread evenly where they do not divide the ticks; the protocol's own when left out",
    None,
)
_MOTION = (
    Field("on", Flag(), "whether there is a motion stream", True),
    _PROTOCOL,
    _RATE,
    Field("to", Text("HOST or HOST:PORT"), "where the platform listens; the built-in virtual platform when left out", None),
    Field("wait", Flag(), "whether a drive begins once the platform is up, so that its start is felt", True),
)
_STREAM = (
    _PROTOCOL,
    _RATE,
    Field("to", Text("HOST or HOST:PORT"), "where it goes; this machine when left out", None),
)
_STREAM_WORDS = "PROTOCOL, PROTOCOL@HOST or PROTOCOL@HOST:PORT"
_OUTLETS = (
    Field("telemetry", Group(_TELEMETRY), "the log", None),
    Field("motion", Group(_MOTION), "the motion stream", None),
    Field(
        "streams",
        ListOf(Either((Text(_STREAM_WORDS), Group(_STREAM)))),
        f"further motion streams, whether `motion` is on or not: each {_STREAM_WORDS}, or a mapping",
        None,
    ),
    Field("view", Choice(VIEWS), "what is seen of it", VIEWS[0]),
    Field("force_feedback", Flag(), "whether the driver's device gives back what its profile says: force feedback, rumble", True),
    Field(
        "plugins", Anything("a list of outlets"), "outlets from outside, each a name, or a mapping of `type`, `rate` and its own keys", None
    ),
)
_PREVIEW = (
    Field("run", Text("the folder of a run, or its telemetry file"), "earlier run of this drive: its folder, or its telemetry file"),
    Field("horizon", Number("s", SHORTEST_STEP, 1000.0), f"how far ahead, at most {PREVIEW_POINTS} steps", 1.0),
    Field("step", Number("s", SHORTEST_STEP, 100.0), "between two points; the rows of that run are not farther apart", 0.02),
)
_WORLD = (
    Field("gravity", Number("m/s2", 0.0, 100.0), "acceleration of free fall, above that of the terrain", None),
    Field(
        "wind", Number("m/s", -FASTEST_WIND, FASTEST_WIND, shape=(3,)), "velocity of the air, above that of the terrain", None, "the world"
    ),
    Field("gusts", Group(GUSTS), "what comes on top of it, above those of the terrain", None),
)
FILE = (
    Field("title", Text(), "what it is, in a line", None),
    *(Field(name, Anything(_NAMED), f"{name}: {_NAMED}", None) for name in CONTENTS),
    Field("driver", _tenant(driver_names, driver_fields), f"who drives: {_WITH_PARAMETERS}", AUTO),
    Field(
        "duration", Number("s", 0.0, MOST_SECONDS, above=0.0), "simulated time; as long as the maneuver, or until somebody ends it", None
    ),
    Field("step", Number("s", SHORTEST_STEP, LONGEST_STEP), "that of the maneuver, or 1 ms", None),
    Field("seed", Number("", 0, LARGEST_SEED, whole=True), "of everything random; the seeds of the files when left out", None),
    Field("world", Group(_WORLD), "gravity, wind and gusts", None),
    Field(
        "steering",
        Choice(STEERING),
        "`angle`: the steering wheel is where it is asked to be; `torque`: hands may turn it by a torque, and the road turns it back; what the "
        "maneuver needs when left out, else angle",
        None,
    ),
    Field(
        "intensity",
        Number("1", 0.0, MOST),
        "scale of what the washout is asked to show, at the beginning; keys change it while driving",
        1.0,
    ),
    Field("outlets", Group(_OUTLETS), "what hangs on it", None),
    Field("sensors", Anything("a list of sensors"), "each a name, or a mapping of `type`, `name`, `rate`, `mount` and its own keys", None),
    Field("preview", Group(_PREVIEW), "what a washout that looks ahead sees, out of an earlier run", None),
    Field(
        "ruts",
        Text("the folder of a run, or its ruts.npz"),
        "earlier run on this terrain in whose ruts this one begins; nobody has driven on the soil when left out",
        None,
    ),
    Field("recorded", Anything("what a log says of its run"), "written by a log; where it comes from", None),
)
"""Of a file in ``configs/sessions``."""


@dataclass(frozen=True)
class MotionOptions:
    """The motion stream."""

    on: bool
    protocol: Chosen
    rate: float | None
    """Packets per second; the usual one of the protocol when not given."""
    to: str | None
    """HOST or HOST:PORT; the built-in virtual platform when not given."""
    wait: bool
    """Whether a drive begins once the platform is up."""


@dataclass(frozen=True)
class StreamOptions:
    """A further motion stream."""

    protocol: Chosen
    rate: float | None
    """Packets per second; the usual one of the protocol when not given."""
    to: tuple[str, int]
    """Host and port."""


@dataclass(frozen=True)
class PreviewOptions:
    """What a washout sees of what is to come."""

    run: str
    """Folder or log of an earlier run."""
    step: float
    """Between two points [s]."""
    points: int


@dataclass(frozen=True)
class SessionOptions:
    """What a session file says besides what it names."""

    title: str
    driver: Chosen
    view: str
    feel: bool
    """Whether the driver's device gives something back."""
    duration: float | None
    """s of simulated time; as long as the maneuver, or until somebody ends it, when not given."""
    step: float | None
    """s; that of the maneuver, or 1 ms, when not given."""
    seed: int | None
    """Of everything random; None: the seeds that the files say."""
    gravity: float | None
    """m/s2, above that of the terrain."""
    wind: tuple[float, float, float] | None
    """m/s, velocity of the air in W, above that of the terrain."""
    gusts: dict[str, float] | None
    """What comes on top of it, by the names of `terrain.wind.GUSTS`, above those of the terrain."""
    steering: str | None
    """One of STEERING; what the maneuver needs when not given."""
    intensity: float
    """Scale of what the washout is asked to show, at the beginning."""
    motion: MotionOptions
    streams: list[StreamOptions]
    """Beside that one."""
    log: LogChoice
    outlets: list[Any]
    """Outlets from outside, as `simulator.outlets.kinds.build_outlets` takes them."""
    sensors: list[Any]
    """As `simulator.sensors.mounted_sensor` takes them."""
    preview: PreviewOptions | None
    ruts: str | None
    """Folder of an earlier run, or its file of ruts."""


def read_session(configuration: Configuration) -> SessionOptions:
    """What a session says besides what it names, checked. Raises ConfigError: an unknown key, a wrong type, a number out of its range."""
    file = configuration.layer.origins[()].who
    with _blamed(configuration):
        said = read(FILE, configuration.layer.content, file)
        outlets, world = said.get("outlets", {}), said.get("world", {})
        telemetry = outlets.get("telemetry", {})
        with ErrorCollector() as faults:
            with faults.part():
                _check_step(said.get("step"), file)
            with faults.part():
                motion = _motion(outlets.get("motion", {}), file)
            with faults.part():
                streams = [_stream(one, file, f"outlets.streams[{n}]") for n, one in enumerate(outlets.get("streams", ()))]
            with faults.part():
                preview = _preview(said["preview"], file) if "preview" in said else None
        return SessionOptions(
            title=said.get("title", ""),
            driver=Chosen.of(said["driver"]),
            view=outlets.get("view", VIEWS[0]),
            feel=outlets.get("force_feedback", True),
            duration=said.get("duration"),
            step=said.get("step"),
            seed=int(said["seed"]) if "seed" in said else None,
            gravity=world.get("gravity"),
            wind=tuple(map(float, world["wind"])) if "wind" in world else None,  # type: ignore[arg-type]
            gusts=dict(world["gusts"]) if "gusts" in world else None,
            steering=said.get("steering"),
            intensity=said["intensity"],
            motion=motion,
            streams=streams,
            log=LogChoice(tuple(telemetry.get("channels", ())), telemetry.get("rate", LOG_RATE), telemetry.get("csv", False)),
            outlets=outlets.get("plugins", []),
            sensors=said.get("sensors", []),
            preview=preview,
            ruts=said.get("ruts"),
        )


@contextmanager
def _blamed(configuration: Configuration) -> Iterator[None]:
    """What is wrong with a session is said to be where it was said."""
    try:
        yield
    except ConfigError as error:
        faults = [configuration.wrong((), one) for one in error.errors]
    else:
        return
    raise_all(faults)


def _motion(said: Mapping[str, Any], file: str) -> MotionOptions:
    protocol, to = Chosen.of(said.get("protocol", DEFAULT)), said.get("to")
    if to is not None:
        parse_address(to, protocol.name, file, "outlets.motion.to")
    return MotionOptions(said.get("on", True), protocol, said.get("rate"), to, said.get("wait", True))


def _stream(said: Mapping[str, Any] | str, file: str, key: str) -> StreamOptions:
    if isinstance(said, str):
        said = read(_STREAM, stream_words(said), file, key)
    protocol = Chosen.of(said["protocol"])
    return StreamOptions(protocol, said.get("rate"), parse_address(said.get("to", THIS_MACHINE), protocol.name, file, f"{key}.to"))


def _preview(said: Mapping[str, Any], file: str) -> PreviewOptions:
    points = round(said["horizon"] / said["step"])
    if not (1 <= points <= PREVIEW_POINTS and math.isclose(points * said["step"], said["horizon"], rel_tol=1e-6)):
        expected = f"from 1 to {PREVIEW_POINTS} whole steps of {said['step']:g} s, a number in s"
        raise ConfigError(file, "preview.horizon", said["horizon"], expected)
    return PreviewOptions(said["run"], said["step"], points)


def _check_step(step: float | None, file: str) -> None:
    if step is not None and not math.isclose(DRIVER_PERIOD / step, round(DRIVER_PERIOD / step), abs_tol=1e-6):
        raise ConfigError(file, "step", step, f"a step in s that divides {DRIVER_PERIOD:g} s, the period of the driver")


def parse_address(text: str, protocol: str, file: str = "--to", key: str = "") -> tuple[str, int]:
    """HOST or HOST:PORT; `file` and `key` say where it stands. Raises ConfigError."""
    host, colon, port = text.rpartition(":")
    if text and not colon:
        return text, PROTOCOL_KINDS.need(protocol).port
    if not host or ":" in host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise ConfigError(file, key, text, "HOST or HOST:PORT with a port from 1 to 65535")
    return host, int(port)
