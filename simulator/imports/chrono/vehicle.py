"""A vehicle of Project Chrono as files of Jounce: vehicle, drivetrain, tires, and mechanisms of multi-link axles."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import NOTHING, ConfigError
from simulator.imports.chrono.geometry import inertia_of, is_possible, plain, rotation_of, tidy, written
from simulator.imports.chrono.powertrain import Drive, read_brakes, read_drivetrain
from simulator.imports.chrono.source import DataFolder, Part, Report
from simulator.imports.chrono.steering import read_anti_roll_bar, read_steering
from simulator.imports.chrono.suspension import STEERED, TEMPLATES, Suspension, Wheel, composite, read_suspension
from simulator.imports.chrono.tires import Tire, read_tire

AXLES = ("front", "rear")
RADIUS = 0.35
"""m. Radius of a wheel in estimates, where a tire of Jounce takes the place of that of the source."""


@dataclass
class Sources:
    """Files that a vehicle of Project Chrono does not name itself, as given on the command line.

    Attributes
    ----------
    tires : one for all or one per axle; JSON files, or names of Jounce
    engine, transmission : JSON files
    drivetrain : name of Jounce, in place of engine, transmission and driveline
    """

    tires: list[str] = field(default_factory=list)
    engine: str | None = None
    transmission: str | None = None
    drivetrain: str | None = None


@dataclass
class Imported:
    """Contents of the files by name, without comments: mappings, or bytes of further files. The first is the vehicle."""

    files: dict[str, dict[str, Any] | bytes]
    name: str


def import_vehicle(path: Path, root: Path | None, given: Sources, stem: str, report: Report) -> Imported:
    """Return the files of a vehicle. Raises ConfigError: what is not a wheeled vehicle of Project Chrono, or has no counterpart."""
    data = DataFolder(root or path.absolute().parent)
    top = data.open(path, "Vehicle")
    data.root = root or _data_root(path, top)
    vehicle = data.named(top.part("Vehicle"), "Input File", "Vehicle") if "Axles" not in top and "Vehicle" in top else top
    if vehicle.text("Template", "") != "WheeledVehicle":
        vehicle.refuse("Template", vehicle.data.get("Template", NOTHING), "`WheeledVehicle`")
    axles = vehicle.list_of_parts("Axles")
    if len(axles) != 2:
        vehicle.refuse("Axles", f"{len(axles)} axles", "two axles")
    vehicle.used |= {"Wheelbase", "Minimum Turning Radius", "Maximum Steering Angle (deg)", "Maximum Steering Angle"}
    top.used |= {"Zombie"}
    files = _Files(data, top, vehicle, given)
    tires = files.tires(report)
    driven = _driven(vehicle)
    corners, wheels, masses, shafts = [], [], [], []
    for n, axle in enumerate(axles):
        wheel, shaft = _wheel(data, axle, tires[n], n in driven, report)
        corner = read_suspension(_suspension(data, axle, n), wheel, report)
        location = axle.numbers("Suspension Location", 3)
        _bar(data, axle, location, corner, report)
        if corner.mechanism:
            corner.section["file"] = f"{stem}_{AXLES[n]}_axle.yaml"
        corner.section = {"suspension": corner.section.pop("suspension"), "location": plain(location), **corner.section}
        corners.append(corner)
        wheels.append(location + corner.wheel)
        shafts.append(shaft)
        masses.append(wheel)
    steering, fixed = _steering(data, vehicle, axles, report)
    content: dict[str, Any] = {"name": vehicle.text("Name", stem)[:60] or stem, "chassis": _chassis(data, vehicle, fixed, report)}
    content["axles"] = {name: corner.section for name, corner in zip(AXLES, corners, strict=True)}
    content["steering"] = steering
    result: dict[str, dict[str, Any] | bytes] = {f"{stem}.yaml": content}
    content["tires"] = files.write_tires(stem, tires, result)
    content["contact"] = "point"
    report.add(vehicle, "", "contact of the tires at one point", "the same; `contact: enveloping` is more exact on rough ground")
    inertia = (
        float(corners[-1].section["bodies"]["wheel"]["inertia"][1]) if corners[-1].section.get("bodies") else float(masses[-1].inertia[1])
    )
    radius = tires[-1].radius if isinstance(tires[-1], Tire) else RADIUS
    drive = Drive(tidy(float(np.mean([shafts[n] for n in driven] or [0.0]))), inertia, radius)
    brakes = [
        [data.named(axle, f"{side} Brake Input File", "Brake") for side in ("Left", "Right") if f"{side} Brake Input File" in axle]
        for axle in axles
    ]
    content["drivetrain"] = files.write_drivetrain(stem, driven, brakes, drive, result, report)
    content["body"] = _body(data, vehicle, wheels, radius, report)
    for corner, name in zip(corners, AXLES, strict=True):
        if corner.mechanism:
            result[f"{stem}_{name}_axle.yaml"] = corner.mechanism
    for part, key in data.unused():
        report.add(part, key, "no counterpart", "nothing")
    report.files = dict(data.paths)
    return Imported(result, content["name"])


def _data_root(path: Path, top: Part) -> Path:
    """Return the closest folder above the file in which the files that it names exist."""
    names = [
        section.data.get("Input File")
        for section in (top.part(key) for key in ("Chassis", "Vehicle") if isinstance(top.data.get(key), dict))
    ]
    name = next((name for name in names if isinstance(name, str)), "")
    folders = path.absolute().parents
    return next((folder for folder in folders if name and "\0" not in name and (folder / name).is_file()), folders[0])


def _suspension(data: DataFolder, axle: Part, n: int) -> Part:
    part = data.named(axle, "Suspension Input File", "Suspension")
    if "Steering Index" in axle:
        axle.used.add("Steering Index")
    if (int(axle.number("Steering Index", -1.0)) >= 0) != (n == 0):
        axle.refuse("Steering Index", axle.data.get("Steering Index", NOTHING), "a steered front axle and a rear axle that is not steered")
    if n == 0 and part.data.get("Template") in set(TEMPLATES) - set(STEERED):
        part.refuse("Template", part.data["Template"], "DoubleWishbone or MacPhersonStrut in front; hint: Jounce does not steer this axle")
    return part


def _wheel(data: DataFolder, axle: Part, tire: Tire | str, is_driven: bool, report: Report) -> tuple[Wheel, float]:
    """Return what rotates with the left wheel besides its spindle, and the inertia of its half shaft."""
    left, right = (data.named(axle, f"{side} Wheel Input File", "Wheel") for side in ("Left", "Right"))
    mass, inertia = left.mass(), left.numbers("Inertia", 3, 0.0)
    if (mass, list(inertia)) != (right.mass(), list(right.numbers("Inertia", 3, 0.0))):
        report.add(axle, "Right Wheel Input File", "another wheel on the right side", "the left wheel on both sides")
    if isinstance(tire, Tire):
        mass, inertia = mass + tire.mass, inertia + tire.inertia
    else:
        report.add(axle, "", f"a tire of Jounce, which has no mass, as `{tire}`", "the mass of the wheel without tire")
    suspension = data.named(axle, "Suspension Input File", "Suspension")
    shaft = suspension.part("Axle").number("Inertia", 0.0, low=0.0, high=1000.0) if "Axle" in suspension else 0.0
    if not is_driven and shaft:
        report.add(suspension, "Axle", f"an axle shaft of {shaft:g} kg m2 on an axle without drive", "the wheel without it")
    return Wheel(mass, inertia), shaft


def _bar(data: DataFolder, axle: Part, location: Vector, corner: Suspension, report: Report) -> None:
    if "Antirollbar Input File" not in axle:
        return
    if not corner.arm:
        axle.used |= {"Antirollbar Input File", "Antirollbar Location"}
        report.add(axle, "Antirollbar Input File", "an anti-roll bar on a multi-link axle", "no bar")
        return
    part = data.named(axle, "Antirollbar Input File", "Antirollbar")
    corner.section["anti_roll_bar"] = read_anti_roll_bar(axle, part, location, corner.arm, report)


def _driven(vehicle: Part) -> list[int]:
    lines = vehicle.part("Driveline")
    indices = sorted({round(x) for x in lines.numbers("Suspension Indexes", None, 0.0)})
    if not indices or indices[-1] > 1:
        lines.refuse("Suspension Indexes", indices, "axles 0 or 1")
    return indices


def _steering(data: DataFolder, vehicle: Part, axles: list[Part], report: Report) -> tuple[dict[str, Any], dict[str, Any]]:
    mounts = vehicle.list_of_parts("Steering Subsystems")
    index = int(axles[0].number("Steering Index", low=0.0, high=max(len(mounts) - 1, 0)))
    for n, mount in enumerate(mounts):
        if n != index:
            mount.used |= set(mount.data)
            report.add(mount, "Input File", "a second steering", "none")
    mount = mounts[index]
    return read_steering(mount, data.named(mount, "Input File", "Steering"), report)


def _chassis(data: DataFolder, vehicle: Part, fixed: dict[str, Any], report: Report) -> dict[str, Any]:
    """Return the section of the chassis; parts that are marked `Void` are cut out of it."""
    part = data.named(vehicle.part("Chassis"), "Input File", "Chassis")
    bodies = []
    for component in part.list_of_parts("Components"):
        sign = -1.0 if component.data.get("Void") is True else 1.0
        component.used.add("Void")
        frame = component.part("Centroidal Frame")
        axes = rotation_of(frame, "Orientation")
        bodies.append((sign * component.mass(), frame.numbers("Location", 3), sign * axes @ inertia_of(component) @ axes.T))
    mass, center, inertia = composite(bodies)
    if mass < 0.001:
        part.refuse("Components", f"{mass:g} kg", "a mass above 0 kg")
    chassis: dict[str, Any] = {"mass": tidy(mass), "com": plain(center), "inertia": written(inertia)}
    if not is_possible(inertia):
        chassis["as_published"] = True
        report.add(part, "Components", "an inertia that no rigid body can have", "the same numbers")
    seat = part.part("Driver Position")
    seat.used.add("Orientation")
    chassis["drivers_head"] = plain(seat.numbers("Location", 3))
    if fixed:
        chassis["fixed_masses"] = fixed
    return chassis


def _body(data: DataFolder, vehicle: Part, wheels: list[Vector], radius: float, report: Report) -> dict[str, Any]:
    """Return the section of the outline: the source has shapes, but no size."""
    chassis = data.named(vehicle.part("Chassis"), "Input File", "Chassis")
    base = float(wheels[0][0] - wheels[1][0])
    if not 0.3 < base < 60.0:
        vehicle.refuse("Axles", f"a wheelbase of {base:g} m", "the front axle first, at least 0.3 m ahead of the rear axle")
    track = 2.0 * max(abs(float(wheel[1])) for wheel in wheels)
    report.add(chassis, "Visualization", "a mesh without a size", "an outline from wheelbase and track: 1.4 times, and 0.4 m")
    section: dict[str, Any] = {
        "length": round(1.4 * base, 3),
        "width": round(track + 0.4 * min(1.0, radius / 0.4), 3),
        "front_overhang": round(0.2 * base, 3),
    }
    if "Rear Connector Location" in chassis:
        section["hitch"] = plain(chassis.numbers("Rear Connector Location", 3))
    return section


class _Files:
    """Files that are not part of the tree of the vehicle: tires, engine and transmission."""

    def __init__(self, data: DataFolder, top: Part, vehicle: Part, given: Sources) -> None:
        self.data, self.top, self.vehicle, self.given = data, top, vehicle, given

    def tires(self, report: Report) -> list[Tire | str]:
        """Return the tires of the axles: read, or the name of one of Jounce."""
        names = self.given.tires
        if not names:
            part = self.top.part("Tire") if isinstance(self.top.data.get("Tire"), dict) else self.vehicle
            if "Input File" not in part:
                raise ConfigError(
                    self.vehicle.file, "Tire", NOTHING, "a tire, which a vehicle file of Project Chrono does not name; hint: use --tire"
                )
            return [read_tire(self.data.named(part, "Input File", "Tire"), self.data, report)] * 2
        if len(names) > 2:
            raise ConfigError("--tire", "", f"{len(names)} tires", "one tire, or one for the front and one for the rear axle")
        read = [read_tire(self._given(name, "Tire"), self.data, report) if name.endswith(".json") else name for name in names]
        return read * 2 if len(read) == 1 else read

    def write_tires(self, stem: str, tires: list[Tire | str], result: dict[str, Any]) -> str | dict[str, str]:
        """Add the files of the tires and return the value of the key `tires`."""
        names = []
        for n, tire in enumerate(tires):
            if isinstance(tire, str):
                names.append(tire)
                continue
            name = f"{stem}_tires.yaml" if tires[0] is tires[1] else f"{stem}_tires_{AXLES[n]}.yaml"
            section = dict(tire.section)
            if tire.files:
                section.pop("radius")
                result |= tire.files
            result[name] = section
            names.append(name)
        return names[0] if names[0] == names[1] else dict(zip(AXLES, names, strict=True))

    def write_drivetrain(
        self, stem: str, driven: list[int], brakes: list[list[Part]], drive: Drive, result: dict[str, Any], report: Report
    ) -> str:
        """Add the drivetrain file and return its name."""
        line = self.vehicle.part("Driveline")
        if self.given.drivetrain:
            line.used.add("Input File")
            report.add(line, "Input File", "a drivetrain of Jounce was asked for, with its own brakes", self.given.drivetrain)
            return self.given.drivetrain
        engine, transmission = (self._powered(kind) for kind in ("Engine", "Transmission"))
        content = {
            "drivetrain": read_drivetrain(engine, transmission, (self.data.named(line, "Input File", "Driveline"), driven), drive, report),
            "brakes": read_brakes(brakes, drive, report),
        }
        result[f"{stem}_drivetrain.yaml"] = content
        return f"{stem}_drivetrain.yaml"

    def _powered(self, kind: str) -> Part:
        """Return engine or transmission: given, or named by the vehicle."""
        name = self.given.engine if kind == "Engine" else self.given.transmission
        if name:
            return self._given(name, kind)
        for part in (self.top, self.vehicle):
            if isinstance(part.data.get("Powertrain"), dict) and f"{kind} Input File" in (power := part.part("Powertrain")):
                return self.data.named(power, f"{kind} Input File", kind)
        option = f"--{kind.lower()}"
        article = "an engine" if kind == "Engine" else "a transmission"
        expected = f"{article}, which a vehicle file of Project Chrono does not name; hint: use {option} FILE.json, or --drivetrain for one of Jounce"
        raise ConfigError(self.vehicle.file, kind, NOTHING, expected)

    def _given(self, name: str, kind: str) -> Part:
        """Return a part that the user names: a path, or a file of the data folder."""
        path = Path(name)
        if not path.is_file() and (self.data.root / name).is_file():
            path = self.data.root / name
        return self.data.open(path, kind)
