"""Kinds of files in `configs`: description, table of keys, and check function.

KINDS names the modules of the tables; a table is imported on use, so that `jounce list` loads none and `jounce check` that of its file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.base.errors import ConfigError
from simulator.base.suggestions import did_you_mean, listed
from simulator.catalog import file_checks
from simulator.configuration.file_lookup import data_folder, find_config

if TYPE_CHECKING:
    from simulator.base.fields import Fields, FieldType

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
    name : name on the command line, and of the folder in `configs`
    description : one-line description of the content
    check : function that reads a file and the files that it names; raises ConfigError
    table_at : "module:attribute" of the table of the keys; default: the table of the files of a session
    based : True if a file may have the key `base` and only the differences from the base
    is_fallback : True if another kind takes precedence for a file whose keys are valid in both
    remarks : function of the result of `check` that returns probable mistakes, one line each
    """

    name: str
    description: str
    check: Callable[[str], Any]
    table_at: str = ""
    based: bool = True
    is_fallback: bool = False
    remarks: Callable[[Any], list[str]] = lambda _: []

    @property
    def folder(self) -> str:
        """Name of the folder in `configs`."""
        return self.name

    @property
    def place(self) -> str:
        """Folder of the shipped files, for pages."""
        return f"configs/{self.folder}"

    @property
    def table(self) -> FieldType:
        """Table of the keys."""
        from simulator.configuration.file_tables import table_at, table_of

        return table_at(self.table_at) if self.table_at else table_of(self.name)

    def files(self) -> list[Path]:
        """Return the shipped files."""
        return sorted((data_folder("configs") / self.folder).glob("[!.]*.yaml"))


KINDS = [
    FileKind("vehicles", "vehicle: bodies, axles, steering and outline", file_checks.check_vehicle, remarks=file_checks.vehicle_remarks),
    FileKind("drivetrains", "drivetrain and brakes of a vehicle", file_checks.check_drivetrain),
    FileKind("tires", "tire with its tire model", file_checks.check_tire),
    FileKind(
        "terrains",
        "ground: a plane, a bump, or a terrain with elevation data and roads, and the objects on it",
        file_checks.check_terrain,
        remarks=file_checks.terrain_remarks,
    ),
    FileKind("soils", "soil or hard surface", file_checks.check_soil),
    FileKind("maneuvers", "maneuver: vehicle, path, speed, driver inputs, metrics and pass limits", file_checks.check_maneuver),
    FileKind("series", "series of maneuvers, or search for the limit of a maneuver", file_checks.check_series),
    FileKind("sweeps", "sweep: many runs with fixed and varied keys", file_checks.check_sweep, "simulator.sweep.sweep_file:FILE"),
    FileKind(
        "datasheets",
        "published data of a vehicle",
        file_checks.check_datasheet,
        "simulator.validation.datasheet.published_file:FILE",
        is_fallback=True,
    ),
    FileKind("fits", "fit of parameters to measurements", file_checks.check_fit, "simulator.fitting.fit_file:FILE"),
    FileKind(
        "optimizations",
        "optimization: keys that minimize or maximize a metric",
        file_checks.check_optimization,
        "simulator.fitting.optimization_file:FILE",
    ),
    FileKind("platforms", "motion platform on legs: a hexapod, or a seat", file_checks.check_platform),
    FileKind("washouts", "washout: conversion of the vehicle motion to platform motion", file_checks.check_washout),
    FileKind(
        "comparisons",
        "comparison of runs and tables of other programs: columns, bands, times",
        file_checks.check_comparison,
        "simulator.validation.compare.comparison_file:FILE",
        based=False,
    ),
    FileKind(
        "devices",
        "input device: steering wheel, pedals, game controller or keyboard",
        file_checks.check_device,
        "simulator.driver.input_devices.device_profiles:FILE",
        based=False,
    ),
    FileKind(
        "settings",
        "settings of a user: units, sound, screen, camera, steering, keys of the window",
        file_checks.check_settings,
        "simulator.view.user_settings:TABLE",
        based=False,
    ),
    FileKind("displays", "screens around the driver", file_checks.check_displays, "simulator.view.displays:FILE", based=False),
    FileKind(
        "sessions",
        "session: vehicle, terrain, maneuver, driver, outlets and sensors",
        file_checks.check_session,
        "simulator.configuration.session_file:FILE",
        remarks=file_checks.session_remarks,
    ),
    FileKind("mechanisms", "mechanism of rigid bodies", file_checks.check_mechanism, based=False),
]
"""Kinds of files, in the order of `jounce list`."""


def register(kind: FileKind) -> None:
    """Add a kind of files after the others, or replace the kind of its name."""
    KINDS[:] = [*(one for one in KINDS if one.name != kind.name), kind]


def kind_named(name: str) -> FileKind:
    """Return the kind of a name. Raises ConfigError."""
    named = next((kind for kind in KINDS if kind.name == name), None)
    if named is None:
        names = [kind.name for kind in KINDS]
        raise ConfigError("kinds of files", "", name, f"one of {listed(names, 'jounce list')}{did_you_mean(name, names)}")
    return named


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
    from simulator.base.yaml_reader import read_yaml

    content = read_yaml(file)
    base = content.get("base") if isinstance(content, Mapping) else None
    if isinstance(base, str) and base.strip():
        return _kind_of_base(file, content, (*above, file))
    scores = {kind.name: max(_likeness(kind.table, content), 0.0) for kind in KINDS}
    best = max(scores.values())
    names = [name for name, score in scores.items() if score == best]
    if len(names) > 1:
        raise _ambiguous(file, content, names)
    return kind_named(names[0])


def _kind_of_base(file: Path, content: Mapping[str, Any], above: tuple[Path, ...]) -> FileKind:
    """Return the kind of the base of a file. If several kinds have a file of this name, it is the kind with all keys of the file."""
    base = content["base"]
    bases: dict[str, Path] = {}
    for kind in KINDS:
        if kind.based:
            with suppress(ConfigError):  # this kind has no such file
                bases[kind.name] = find_config(kind.folder, base, file, "base")
    if not bases:
        shipped = {path.stem for kind in KINDS if kind.based for path in kind.files()}
        raise ConfigError(file, "base", base, f"a file in the same folder, or a shipped file{did_you_mean(base, shipped)}")
    if len(set(bases.values())) == 1 and len(bases) > 1:  # a file in the same folder is found for every kind
        neighbor = next(iter(bases.values()))
        if not any(neighbor.samefile(other) for other in above):
            return _kind_of(neighbor, above)
    fitting = [name for name in bases if _has_keys(kind_named(name), content)]
    names = fitting if len(fitting) == 1 else list(bases)
    names = [name for name in names if not kind_named(name).is_fallback] or names
    if len(names) > 1:
        raise _ambiguous(file, content, names)
    return kind_named(names[0])


def _has_keys(kind: FileKind, content: Mapping[str, Any]) -> bool:
    """Return whether a table of a kind has all keys of a content."""
    own = set(content) - {"base"}
    return any(own <= {written for field in fields for written in field.spellings} for fields in tables_of(kind.table))


def _ambiguous(file: Path, content: Any, names: Iterable[str]) -> ConfigError:
    """Return the error about a file that may be of several kinds."""
    keys = list(content) if isinstance(content, Mapping) else content
    return ConfigError(file, "", keys, f"keys of one kind of file, with --kind one of {', '.join(names)}")


def _likeness(table: FieldType, content: Any) -> float:
    """Return the score of the best matching variant of a table for a content; 0 without keys."""
    if not isinstance(content, Mapping) or not content:
        return 0.0
    return max(_score(fields, content) for fields in tables_of(table))


def _score(fields: Fields, content: Mapping[Any, Any]) -> float:
    """Return twice the fraction of the keys that the table has plus the fraction of the fields that are present, minus that of the required fields
    that are absent. A text is not a list: `displays` of the settings names a file, and lists the screens in that file."""
    from simulator.base.fields import REQUIRED, ListOf

    texts = {key for key, value in content.items() if isinstance(value, str)}
    spelled = {
        written: field.name for field in fields for written in field.spellings if not (isinstance(field.kind, ListOf) and written in texts)
    }
    present = {spelled[key] for key in content if key in spelled}
    required = {field.name for field in fields if field.default is REQUIRED}
    absent = len(required - present) / len(required) if required else 0.0
    return 2.0 * len(present) / len(content) + len(present) / len(fields) - absent


def tables_of(table: FieldType) -> Iterable[Fields]:
    """Return the tables of a kind, one for each variant."""
    from simulator.base.fields import Group, Variants

    if isinstance(table, Variants):
        return [fields for name in table.choice().names() if (fields := table.fields(name)) is not None]
    assert isinstance(table, Group)
    return [table.fields]
