"""Builder: creates objects from names and files.

`configuration` merges the contents of files. `session_builder` and `vehicle_builder` read the result and create each object. `build` creates
all parts of a session (`session_parts`). The functions `build_...` create one object by its name; those of vehicles, tires, grounds and
mechanisms are in `named_parts`, which loads no other parts of a session.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import ErrorCollector
from simulator.base.records import Record
from simulator.base.yaml_reader import read_yaml
from simulator.builder.named_parts import build_ground, build_soil, build_tire, build_vehicle, load_mechanism, vehicle_description
from simulator.builder.other_vehicles import note_runs, other_parts, with_cones, with_others, with_trailers
from simulator.builder.session_builder import SessionBuilder, cueing_of, maneuver_of, platform_of
from simulator.builder.session_images import SessionImages
from simulator.builder.session_objects import put_objects
from simulator.builder.session_parts import SessionParts
from simulator.builder.start_place import check_start
from simulator.builder.traffic import traffic_parts, with_traffic
from simulator.builder.trigger_parts import trigger_parts, with_waiting_objects
from simulator.builder.vehicle_builder import description_of
from simulator.configuration.configuration import Configuration
from simulator.configuration.file_lookup import data_folder, find_config
from simulator.configuration.key_path import KeyPath, written
from simulator.configuration.layers import Origin
from simulator.configuration.session_file import SessionOptions, read_session
from simulator.maneuvers.maneuver_file import Maneuver
from simulator.telemetry.recorded_preview import log_file, preview_of_log
from simulator.telemetry.run_folder import RUTS_NAME
from simulator.view.vehicle_parts import view_geometry
from terrain.ground import Ground
from vehicles import step_stability
from washout.cueing import MotionCueing
from washout.platform import hexapod
from washout.preview.sources import Preview

__all__ = [
    "build", "build_cueing", "build_ground", "build_maneuver", "build_platform", "build_soil", "build_tire", "build_vehicle", "data_folder",
    "find_config", "load_mechanism", "read_yaml", "vehicle_description", "view_geometry",
]  # fmt: skip


def build(configuration: Configuration, check_step: bool = True, builder: SessionBuilder | None = None) -> SessionParts:
    """Build all parts of a configuration. Defaults are added to the configuration, so that it is complete afterwards.

    Parameters
    ----------
    check_step : whether to check that the step is stable with the vehicle (`vehicles.step_stability`)
    builder : creates the parts (default: a `SessionBuilder`)

    Raises
    ------
    ConfigError : a file or a setting cannot be used, or the step is not stable
    """
    builder = builder or SessionBuilder()
    note_runs(configuration)
    options = read_session(configuration)
    put_objects(configuration)
    _put_world(configuration, options)
    _put_into_maneuver(configuration, options)
    maneuver, description = None, None
    with ErrorCollector() as faults:
        with faults.part():
            vehicle, places = builder.vehicle(configuration)
            description = vehicle.description
            if description.coupling is not None:
                expected = "a vehicle with a drive, which names this trailer under `trailers`"
                raise configuration.origins.of("vehicle").wrong(configuration.name("vehicle") or description.name, expected)
        with faults.part():
            ground = builder.ground(configuration)
        with faults.part():
            if configuration.has("maneuver") and (description is not None or _has_outline(configuration)):
                maneuver = builder.maneuver(configuration, description)
        if faults.errors:
            with faults.part():
                cueing_of(configuration, step_stability.USUAL_STEP, STANDARD_GRAVITY).washout.close()
    terrain_ground = ground
    vehicle.free_steering(_by_torque(configuration, options, maneuver))
    if maneuver is not None:
        with configuration.origins.about(("maneuver",)):
            maneuver = maneuver.on_ground(ground, maneuver.placed(ground.spawn))
        ground = replace(ground, spawn=maneuver.placed(ground.spawn))
        maneuver.duration = options.duration or maneuver.duration
    with configuration.origins.relative_to():
        check_start(ground, vehicle.description)
    step = maneuver.step if maneuver is not None else options.step or step_stability.USUAL_STEP
    if check_step:
        builder.check_step(configuration, vehicle, step, places)
    preview = _preview(configuration, options)
    ruts = _ruts(configuration, options, ground)
    cueing = builder.cueing(configuration, step, float(ground.p[0]["gravity"]), preview, options.intensity)
    others = other_parts(configuration, options.vehicles, builder, vehicle, terrain_ground, step, options.faults)
    ground = with_trailers(with_others(with_cones(ground, maneuver), others, vehicle, configuration.origins), vehicle)
    triggers = trigger_parts(configuration, options.triggers, others, maneuver, ground, terrain_ground.spawn)
    ground = with_waiting_objects(ground, options.triggers)
    seed = options.seed if options.seed is not None else 0 if maneuver is None else maneuver.seed
    traffic = traffic_parts(configuration, options.traffic, builder, vehicle, ground, step, seed, [one.ground for one in others])
    ground = with_traffic(ground, traffic)
    images = SessionImages(ground, partial(view_geometry, vehicle), options.weather)
    parts = SessionParts(
        configuration, options, vehicle, ground, cueing, maneuver, step, preview, ruts, builder, images, others, triggers, traffic,
        terrain_ground,
    )  # fmt: skip
    parts.trigger_faults(parts.new_faults())  # reports faults that do not fit the vehicle before anything runs
    parts.new_lane()
    return parts


def _by_torque(configuration: Configuration, options: SessionOptions, maneuver: Maneuver | None) -> bool:
    """Return whether a torque may turn the steering wheel. Raises ConfigError: the session excludes it, but the maneuver needs it."""
    needed = maneuver is not None and maneuver.gives_torque
    if needed and options.steering == "angle":
        raise configuration.origins.of("steering").wrong("angle", "torque (needed by this maneuver)")
    return needed or options.steering == "torque"


def _put_world(configuration: Configuration, options: SessionOptions) -> None:
    """Apply the world values of the session, which override those of the terrain."""
    for key, value in (("gravity", options.gravity), ("wind", options.wind), ("gusts", options.gusts)):
        if value is not None:
            configuration.put(
                f"terrain.{key}", list(value) if isinstance(value, tuple) else value, configuration.origins.of(f"world.{key}")
            )
    if options.seed is not None:
        with configuration.reading("terrain") as (content, _):
            places = list(_seeds(content, ("terrain",)))
        for path in places:
            digest = hashlib.sha256(f"{options.seed} {written(path)}".encode()).digest()
            configuration.put(written(path), int.from_bytes(digest[:4], "little"), configuration.origins.of("seed"))


def _put_into_maneuver(configuration: Configuration, options: SessionOptions) -> None:
    """Apply step and seed of the session, which override those of the maneuver."""
    if configuration.has("maneuver"):
        for key in ("step", "seed"):
            value = getattr(options, key)
            if value is not None:
                configuration.put(f"maneuver.{key}", value, configuration.origins.of(key))


def _seeds(value: Any, path: KeyPath) -> Iterator[KeyPath]:
    """Yield the places of the seeds in a content."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "seed":
                yield (*path, key)
            yield from _seeds(item, (*path, key))
    elif isinstance(value, list):
        for n, item in enumerate(value):
            yield from _seeds(item, (*path, n))


def _preview(configuration: Configuration, options: SessionOptions) -> Preview | None:
    """Return the preview from an earlier run, if the session requests it."""
    requested, place = options.preview, "preview.run"
    if requested is None or not requested.run:
        return None
    with configuration.origins.relative_to():
        log = log_file(configuration.binary.path_of(place), "", place)
        preview = preview_of_log(log, requested.step, requested.points, "", place)
    configuration.binary.note(place, log)
    return preview


def _ruts(configuration: Configuration, options: SessionOptions, ground: Ground) -> Path | None:
    """Return the rut file of the session, or None."""
    if options.ruts is None:
        return None
    if not ground.is_soft:
        raise configuration.origins.of("ruts").wrong(options.ruts, "no ruts, because this terrain has no soil")
    place = configuration.binary.path_of("ruts")
    file = place / RUTS_NAME if place.is_dir() else place
    if not file.is_file():
        raise configuration.origins.of("ruts").wrong(options.ruts, f"the folder of a run on soil, or its {RUTS_NAME}")
    configuration.binary.note("ruts", file)
    return file


def build_platform(name: str, content: Any = None) -> Record:
    """Return the HEXAPOD record of a motion platform by name or path, or from its content. Raises ConfigError."""
    return platform_of(Configuration.of("platform", name)) if content is None else hexapod(content, name)


def build_cueing(washout: str, platform: str, h: float, gravity: float = STANDARD_GRAVITY) -> MotionCueing:
    """Return the motion cueing of a washout for a platform, both by name or path, in ticks of h seconds, for a gravity. Raises
    ConfigError."""
    configuration = Configuration.of("washout", washout)
    configuration.put("platform", platform, Origin("platforms", is_file=False))
    return cueing_of(configuration, h, gravity)


def build_maneuver(name: str) -> Maneuver:
    """Return a maneuver by name or path; the default outline of the body is that of its vehicle. Raises ConfigError."""
    configuration = Configuration.of("maneuver", name)
    return maneuver_of(configuration, None if _has_outline(configuration) else description_of(configuration, {}, SessionBuilder()))


def _has_outline(configuration: Configuration) -> bool:
    """Return whether a maneuver can be read without its vehicle."""
    with configuration.reading("maneuver") as (content, _):
        return isinstance(content, dict) and ("body" in content or not isinstance(content.get("vehicle"), str))
