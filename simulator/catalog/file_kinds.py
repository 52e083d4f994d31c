"""Kinds of files in `configs`: folder, table of keys, and check function."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.base import renamed
from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import REQUIRED, Fields, FieldType, Group, Variants
from simulator.base.suggestions import did_you_mean, listed
from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import (
    SessionParts,
    build,
    build_cueing,
    build_ground,
    build_maneuver,
    build_platform,
    build_tire,
    build_vehicle,
    data_folder,
    find_config,
    load_mechanism,
)
from simulator.configuration import session_file
from simulator.configuration.configuration import configuration
from simulator.configuration.file_tables import TABLES
from simulator.configuration.layers import read_layers
from simulator.configuration.renamed_keys import replaced, replacements
from simulator.driver.input_devices import device_profiles
from simulator.fitting import fit_file, optimization_file
from simulator.fitting.fit_check import check_fit
from simulator.research.triangular import problem_file
from simulator.run.series import load_series
from simulator.sweep import sweep_file
from simulator.sweep.load_sweep import load_sweep
from simulator.validation.compare import comparison_file
from simulator.validation.datasheet import published_file
from simulator.validation.datasheet.plausibility import plausibility_remarks
from simulator.view import user_settings
from terrain import soil
from terrain.objects.placement import placement_remarks
from vehicles.controllers.vehicle_agreement import controller_remarks
from vehicles.drivetrain.drivetrain_file import read_parts

CHECK_PLATFORM = "small_hexapod"
"""Platform for the check of a washout."""


SUFFIXES = {".tir": "tires", ".urdf": "mechanisms", ".xml": "mechanisms"}
"""Kinds of files that are not YAML, by suffix."""
OTHER_SUFFIXES = {
    **dict.fromkeys(
        (".crg", ".tif", ".tiff", ".hgt", ".asc", ".raw", ".r16", ".npy", ".png", ".obj", ".gltf", ".glb"), "jounce terrain info FILE"
    ),
    **dict.fromkeys((".csv", ".parquet"), "jounce compare RUN FILE"),
}
"""Commands that read other data, by suffix."""


@dataclass(frozen=True)
class FileKind:
    """Kind of files.

    Parameters
    ----------
    name : name on the command line
    folder : folder in `configs`
    description : one-line description of the content
    table : table of the keys
    check : function that reads a file and the files that it names; raises ConfigError
    based : True if a file may have the key `base` and only the differences from the base
    is_fallback : True if another kind takes precedence for a file whose keys are valid in both
    remarks : function of the result of `check` that returns probable mistakes, one line each
    """

    name: str
    folder: str
    description: str
    table: FieldType
    check: Callable[[str], Any]
    based: bool = True
    is_fallback: bool = False
    remarks: Callable[[Any], list[str]] = lambda _: []

    def files(self) -> list[Path]:
        """Return the shipped files."""
        return sorted((data_folder("configs") / self.folder).glob("[!.]*.yaml"))


def _content(folder: str, file: str) -> Any:
    """Return the content of a file merged into its base."""
    return read_layers(folder, file).content


def check_session(file: str) -> SessionParts:
    """Return the parts of a session whose vehicle stands on its terrain, and whose sensors can be created. Raises ConfigError, JounceError."""
    parts = build(configuration(file), check_step=False)
    with ErrorCollector() as errors:
        with errors.part():
            parts.check_equilibrium()
        with errors.part():
            for sensor in parts.new_sensors():
                sensor.close()
    return parts


KINDS = (
    FileKind(
        "vehicles",
        "vehicles",
        "vehicle: bodies, axles, steering and outline",
        TABLES["vehicles"],
        build_vehicle,
        remarks=lambda vehicle: [*controller_remarks(vehicle), *plausibility_remarks(vehicle)],
    ),
    FileKind(
        "drivetrains",
        "drivetrains",
        "drivetrain and brakes of a vehicle",
        TABLES["drivetrains"],
        lambda file: read_parts(_content("drivetrains", file), file),
    ),
    FileKind("tires", "tires", "tire with its tire model", TABLES["tires"], build_tire),
    FileKind(
        "terrains",
        "terrains",
        "ground: a plane, a bump, or a terrain with elevation data and roads, and the objects on it",
        TABLES["terrains"],
        build_ground,
        remarks=placement_remarks,
    ),
    FileKind("soils", "soils", "soil or hard surface", TABLES["soils"], lambda file: soil.soil(_content("soils", file), file)),
    FileKind(
        "maneuvers",
        "maneuvers",
        "maneuver: vehicle, path, speed, driver inputs, metrics and pass limits",
        TABLES["maneuvers"],
        build_maneuver,
    ),
    FileKind("series", "series", "series of maneuvers, or search for the limit of a maneuver", TABLES["series"], load_series),
    FileKind("sweeps", "sweeps", "sweep: many runs with fixed and varied keys", sweep_file.FILE, load_sweep),
    FileKind(
        "datasheets",
        "datasheets",
        "published data of a vehicle",
        Group(published_file.FILE),
        published_file.load_published,
        is_fallback=True,
    ),
    FileKind("fits", "fits", "fit of parameters to measurements", fit_file.FILE, check_fit),
    FileKind(
        "optimizations",
        "optimizations",
        "optimization: keys that minimize or maximize a metric",
        optimization_file.FILE,
        optimization_file.read_optimization,
    ),
    FileKind("platforms", "platforms", "motion platform on legs: a hexapod, or a seat", TABLES["platforms"], build_platform),
    FileKind(
        "washouts",
        "washouts",
        "washout: conversion of the vehicle motion to platform motion",
        TABLES["washouts"],
        lambda file: build_cueing(file, CHECK_PLATFORM, 1e-3),
    ),
    FileKind(
        "comparisons",
        "comparisons",
        "comparison of runs and tables of other programs: columns, bands, times",
        Group(comparison_file.FILE),
        comparison_file.load_comparison,
        based=False,
    ),
    FileKind(
        "devices",
        "devices",
        "input device: steering wheel, pedals, game controller or keyboard",
        device_profiles.FILE,
        lambda file: device_profiles.load_profile(Path(file)),
        based=False,
    ),
    FileKind(
        "settings",
        "settings",
        "settings of a user: units, sound, screen, camera, steering, keys of the window",
        user_settings.TABLE,
        lambda file: user_settings.load_settings(find_config("settings", file)),
        based=False,
    ),
    FileKind(
        "sessions",
        "sessions",
        "session: vehicle, terrain, maneuver, driver, outlets and sensors",
        Group(session_file.FILE),
        check_session,
        remarks=lambda parts: placement_remarks(parts.ground),
    ),
    FileKind("mechanisms", "mechanisms", "mechanism of rigid bodies", TABLES["mechanisms"], load_mechanism, based=False),
    FileKind(
        "triangular",
        "triangular",
        "equations of a mechanism for triangularization",
        Group(problem_file.FILE),
        problem_file.load_problem,
        based=False,
    ),
)


def kind_named(name: str) -> FileKind:
    """Return the kind of a name. Raises ConfigError."""
    name = renamed.kind(name)
    found = next((kind for kind in KINDS if kind.name == name), None)
    if found is None:
        names = [kind.name for kind in KINDS]
        raise ConfigError("kinds of files", "", name, f"one of {listed(names, 'jounce list')}{did_you_mean(name, names)}")
    return found


def kind_of(file: str) -> FileKind:
    """Return the kind of a file, from its folder, its base, or its keys. Raises ConfigError if the kind is ambiguous."""
    return _kind_of(Path(file), ())


def _kind_of(file: Path, above: tuple[Path, ...]) -> FileKind:
    """Return the kind of a file that is a base of the files `above`."""
    kind_by_suffix = SUFFIXES.get(file.suffix.lower())
    if kind_by_suffix is not None:
        return kind_named(kind_by_suffix)
    command = OTHER_SUFFIXES.get(file.suffix.lower())
    if command is not None:
        raise ConfigError(file, "", file.suffix, f"a YAML file, or one of {', '.join(SUFFIXES)} (is this data? use `{command}`)")
    folder = Path(os.path.realpath(file)).parent.as_posix()
    for kind in KINDS:
        if folder.endswith(f"/{kind.folder}"):
            return kind
    for old, new in renamed.FOLDERS.items():
        if folder.endswith(f"/{old}"):
            return kind_named(new)
    content = read_yaml(file)
    base = content.get("base") if isinstance(content, Mapping) else None
    if isinstance(base, str) and base.strip():
        return _kind_of_base(file, content, (*above, file))
    scores = {kind.name: max(_likeness(kind.table, _with_new_names(kind, content)), 0.0) for kind in KINDS}
    best = max(scores.values())
    names = [name for name, score in scores.items() if score == best]
    if len(names) > 1:
        raise _ambiguous(file, content, names)
    return kind_named(names[0])


def _kind_of_base(file: Path, content: Mapping[str, Any], above: tuple[Path, ...]) -> FileKind:
    """Return the kind of the base of a file. If several kinds have a file of this name, it is the kind with all keys of the file."""
    base = content["base"]
    found: dict[str, Path] = {}
    for kind in KINDS:
        if kind.based:
            with suppress(ConfigError):  # this kind has no such file
                found[kind.name] = find_config(kind.folder, base, file, "base")
    if not found:
        shipped = {path.stem for kind in KINDS if kind.based for path in kind.files()}
        raise ConfigError(file, "base", base, f"a file in the same folder, or a shipped file{did_you_mean(base, shipped)}")
    if len(set(found.values())) == 1 and len(found) > 1:  # a file in the same folder is found for every kind
        neighbor = next(iter(found.values()))
        if not any(neighbor.samefile(other) for other in above):
            return _kind_of(neighbor, above)
    fitting = [name for name in found if _has_keys(kind_named(name), content)]
    names = fitting if len(fitting) == 1 else list(found)
    names = [name for name in names if not kind_named(name).is_fallback] or names
    if len(names) > 1:
        raise _ambiguous(file, content, names)
    return kind_named(names[0])


def _has_keys(kind: FileKind, content: Mapping[str, Any]) -> bool:
    """Return whether a table of a kind has all keys of a content."""
    own = set(_with_new_names(kind, content)) - {"base"}
    return any(own <= _spellings(fields) for fields in tables_of(kind.table))


def _with_new_names(kind: FileKind, content: Any) -> Any:
    """Return a content with present names, without a warning: the kind is not known yet."""
    return replaced(content, list(replacements(kind.folder, content)))


def _ambiguous(file: Path, content: Any, names: Iterable[str]) -> ConfigError:
    """Return the error about a file that may be of several kinds."""
    keys = list(content) if isinstance(content, Mapping) else content
    return ConfigError(file, "", keys, f"keys of one kind of file, with --kind one of {', '.join(names)}")


def _spellings(fields: Fields) -> set[str]:
    return {written for field in fields for written in field.spellings}


def _likeness(table: FieldType, content: Any) -> float:
    """Return the score of the best matching variant of a table for a content; 0 without keys."""
    if not isinstance(content, Mapping) or not content:
        return 0.0
    return max(_score(fields, content) for fields in tables_of(table))


def _score(fields: Fields, content: Mapping[Any, Any]) -> float:
    """Return twice the fraction of the keys that the table has plus the fraction of the fields that are present, minus that of the required fields
    that are absent."""
    spelled = {written: field.name for field in fields for written in field.spellings}
    present = {spelled[key] for key in content if key in spelled}
    required = {field.name for field in fields if field.default is REQUIRED}
    absent = len(required - present) / len(required) if required else 0.0
    return 2.0 * len(present) / len(content) + len(present) / len(fields) - absent


def tables_of(table: FieldType) -> Iterable[Fields]:
    """Return the tables of a kind, one for each variant."""
    if isinstance(table, Variants):
        return [fields for name in table.choice().names() if (fields := table.fields(name)) is not None]
    assert isinstance(table, Group)
    return [table.fields]
