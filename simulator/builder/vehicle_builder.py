"""Construction of the vehicle of a configuration from its file and those of its tires and drivetrain, with adjusted tie rods and a
stability check of the step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.records import join
from simulator.configuration.configuration import Configuration
from simulator.configuration.file_lookup import data_folder
from simulator.configuration.key_path import parse
from simulator.configuration.references import is_one_for_each
from simulator.view.bodies.body_mesh import checked_mesh
from terrain.ground import Ground
from terrain.load_terrain import load_terrain
from vehicles import step_stability
from vehicles.alignment import aligned_vehicle
from vehicles.axle_layout import Axles
from vehicles.description import Description, expected_axles, read_description
from vehicles.drivetrain.drivetrain_file import DrivetrainParts, read_parts
from vehicles.suspension.axle_section import DAMPER_CURVE, SPRING_CURVE
from vehicles.suspension.mechanism.section import MechanismFile
from vehicles.suspension.table_file import Columns, TableFile
from vehicles.tires.tire_file import TireFile, TireSet, tire, tire_set
from vehicles.towing.train import Trailer, Train
from vehicles.vehicle import Vehicle

DRAWBAR = 2.0
"""m. Largest distance of a coupling point behind the body of a vehicle."""


class VehicleParts:
    """Creates a vehicle and its parts from a configuration, each time new. Methods raise ConfigError."""

    def vehicle(self, configuration: Configuration) -> tuple[Vehicle, tuple[str, ...]]:
        """Return the vehicle with its tires and drivetrain, the place of its file, and the places of the tires of its wheels."""
        return vehicle_of(configuration, self)

    def description(self, content: Any, file: str) -> Description:
        """Return the description in the vehicle file."""
        return read_description(content, file)

    def tire(self, content: Any, file: str, files: Mapping[str, str]) -> TireFile:
        """Return the tire of a file; `files` are digests of binary files, by the place that names them."""
        return tire(content, file, folders=[data_folder("assets")])

    def tires(self, files: Sequence[TireFile], sides: Sequence[int], contact: str) -> TireSet:
        """Return the tires of a vehicle from those of its wheels, as `tire_set`."""
        return tire_set(files, sides, contact)

    def drivetrain(self, content: Any, file: str, axles: Axles) -> DrivetrainParts:
        """Return drivetrain and brakes of a file, for a vehicle with these axles."""
        return read_parts(content, file, axles)


def vehicle_of(configuration: Configuration, builder: VehicleParts) -> tuple[Vehicle, tuple[str, ...]]:
    """Return the vehicle with its tires and drivetrain, the place of its file, and the places of the tires of its wheels."""
    places: dict[str, str] = {}
    tires: dict[str, TireFile] = {}
    with ErrorCollector() as faults:
        with faults.part():
            description = description_of(configuration, places, builder)
        for name, place in places.items():
            with faults.part(), configuration.reading(place) as (content, file):
                tires[name] = builder.tire(content, file, configuration.binary.digests)
        if faults.errors:
            with faults.part():
                _check_drivetrain(configuration)
        faults.need_all()
        with configuration.reading("vehicle.drivetrain") as (content, file):
            pass  # the drivetrain is read below, where errors in its file are reported
        of_wheels = builder.tires([tires[name] for name in description.tires], _sides(description), description.contact)
        with configuration.origins.about(("vehicle",)):
            parts = builder.drivetrain(content, file, description.mechanism.axles)
            vehicle = aligned_vehicle(description, of_wheels, parts, file, _level)
    if description.trailers:
        vehicle.tow(_train_of(configuration, vehicle, builder))
    return vehicle, ("vehicle", *(places[name] for name in description.tires))


def _train_of(configuration: Configuration, vehicle: Vehicle, builder: VehicleParts) -> Train:
    """Return the trailers of a vehicle. Raises ConfigError."""
    trailers: list[Trailer] = []
    ahead = vehicle
    with ErrorCollector() as faults:
        for n, one in enumerate(vehicle.description.trailers):
            with faults.part():
                own = configuration.section(("vehicle", "trailers", n))
                content = own.raw("vehicle")
                if isinstance(content, dict) and not content.get("coupling"):
                    expected = "a trailer: a vehicle file with a section `coupling`"
                    raise configuration.origins.of(f"vehicle.trailers[{n}]").wrong(one.name, expected)
                towed, _ = builder.vehicle(own)
                assert towed.description.coupling is not None
                point, first = towed.description.coupling.parameters[0]["p_TH"], float(towed.model.corners[0]["design_wheel_x"][0])
                if point[0] <= first:
                    at = configuration.origins.of(f"vehicle.trailers[{n}].vehicle.coupling.point")
                    raise at.wrong(point.tolist(), f"a point ahead of the axles of the trailer: x above {first:.2f} m")
                hitch = ahead.model.body[0]["hitch"].copy() if one.hitch is None else one.hitch
                if outside := _outside(ahead, hitch):
                    raise configuration.origins.of(f"vehicle.trailers[{n}].hitch").wrong(hitch.tolist(), outside)
                trailers.append(Trailer(towed.new_instance(), hitch))
                ahead = towed
    return Train(vehicle, trailers, _level().arrays)


def _outside(ahead: Vehicle, hitch: Vector) -> str:
    """Return where a coupling point on a vehicle is expected; "" if it is there: from the front axle to DRAWBAR behind the body."""
    length, width, overhang = ahead.description.outline
    front = float(ahead.model.corners[0]["design_wheel_x"][0])
    rear = front + overhang - length - DRAWBAR
    if rear <= hitch[0] <= front and abs(hitch[1]) <= 0.5 * width:
        return ""
    return f"a point on the vehicle ahead: x from {rear:.2f} to {front:.2f} m, y from {-0.5 * width:.2f} to {0.5 * width:.2f} m"


def _sides(description: Description) -> list[int]:
    """Return the sides of the wheels, 1 left and -1 right; a middle wheel counts as left."""
    return [-1 if name.endswith("R") else 1 for name in description.mechanism.axles.corners]


def _check_drivetrain(configuration: Configuration) -> None:
    """Check the drivetrain of a vehicle with other errors, if possible. Raises ConfigError."""
    axles = expected_axles(configuration.raw("vehicle"))
    if axles is not None and isinstance(configuration.raw("vehicle.drivetrain"), str | dict):
        with configuration.reading("vehicle.drivetrain") as (content, file):
            read_parts(content, file, axles)


def description_of(configuration: Configuration, places: dict[str, str], builder: VehicleParts) -> Description:
    """Return the description in the vehicle file; `places` receives the places of its tires."""
    with configuration.reading("vehicle") as (content, file):
        if not isinstance(content, dict):
            return builder.description(content, file)  # reports the error
        if "axles" in content:
            content["axles"] = _with_files(configuration, content["axles"])
        tires = content.get("tires")
        if isinstance(tires, dict) and is_one_for_each(tires):
            content["tires"] = {key: _name_of(one, f"vehicle.tires.{key}", places) for key, one in tires.items()}
        elif isinstance(tires, str | dict):
            content["tires"] = _name_of(tires, "vehicle.tires", places)
        if isinstance(content.get("drivetrain"), dict):
            content["drivetrain"] = "vehicle.drivetrain"
        if isinstance(content.get("trailers"), list):
            content["trailers"] = [_with_name(configuration, one, n) for n, one in enumerate(content["trailers"])]
        description = builder.description(content, file)
        if description.mesh is not None:
            return replace(description, mesh=checked_mesh(description.mesh, data_folder("assets")))
        return description


def _with_name(configuration: Configuration, trailer: Any, n: int) -> Any:
    """Return the entry of a trailer with the name of its file in place of the content."""
    if isinstance(trailer, dict) and isinstance(trailer.get("vehicle"), dict):
        return {**trailer, "vehicle": configuration.name(f"vehicle.trailers[{n}].vehicle") or "trailer"}
    return trailer


def _name_of(value: str | dict[str, Any], place: str, places: dict[str, str]) -> str:
    """Return the name of a tire: its file name, or the place of its content."""
    name = value if isinstance(value, str) else place
    places.setdefault(name, place)
    return name


_FILES_OF_KINDS = {"mechanism": (("file",),), "kc_table": (("file",), ("right_file",))}
_FILES_OF_STRUTS = (("spring", "file"), ("spring", "stop_file"), ("shock", "file"))
"""Keys of an axle that name files: of its kind, and of the curves of its struts."""


def _with_files(configuration: Configuration, axles: Any) -> Any:
    """Return the axles of a vehicle with the files read that they name: mechanisms and tables. Raises ConfigError."""
    if not isinstance(axles, dict):
        return axles  # a later check reports the error
    read = dict(axles)
    for name, axle in axles.items():
        kind = str(axle.get("suspension")) if isinstance(axle, dict) else ""
        for path in (*_FILES_OF_KINDS.get(kind, ()), *_FILES_OF_STRUTS) if isinstance(axle, dict) else ():
            section = axle.get(path[0]) if len(path) > 1 else axle
            if isinstance(section, dict) and isinstance(section.get(path[-1]), str | dict):
                with configuration.reading(".".join(("vehicle.axles", name, *path))) as (content, file):
                    held = {path[-1]: (MechanismFile if kind == "mechanism" and len(path) == 1 else TableFile)(file, content)}
                axle = {**axle, **held} if len(path) == 1 else {**axle, path[0]: {**axle[path[0]], **held}}  # noqa: PLW2901
                read[name] = axle
    return read


@cache
def _level() -> Ground:
    """Return a level, even ground, on which vehicles are aligned and tested."""
    return load_terrain({"type": "flat"}, "flat", data_folder("assets"), {})


def check_step_of(configuration: Configuration, vehicle: Vehicle, step: float, places: tuple[str, ...]) -> None:
    """Check that a step [s] is stable with the vehicle, whose contents are at `places`. Raises ConfigError about the responsible key."""
    try:
        step_stability.check_step(vehicle, _level().arrays, step, places, "step")
    except ConfigError as error:
        if error.file != "step":
            raise _located(configuration, error) from None
        key_of_step = "step" if configuration.has("step") else "maneuver.step"
        raise configuration.origins.of(key_of_step).wrong(error.value, error.expected) from None


def _located(configuration: Configuration, error: ConfigError) -> ConfigError:
    """Return the error about a stiff part with the origin of the value; for a curve from a file, that of the key that names the file."""
    section, _, name = error.key.rpartition(".")
    name = {"pull": "file", "stop_force": "stop_file"}.get(name, name)
    place, origins = join(error.file, section), configuration.origins
    content = configuration.raw(join(place, name)) if (section.rpartition(".")[2], name) in _FILES_OF_STRUTS else None
    if not isinstance(content, dict):
        return origins.wrong(parse(error.file), error)
    file = TableFile(configuration.name(join(place, name)), content)
    force = Columns(file, DAMPER_CURVE if section.endswith("shock") else SPRING_CURVE)["force"]
    value = f"{file.path}, forces up to {np.abs(force).max():g} N"
    moved = origins.wrong(parse(place), ConfigError(error.file, "", value, error.expected))
    return moved.moved_to(moved.file, join(moved.key, name))
