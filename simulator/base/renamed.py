"""Names that version 0.3 replaces. An old name works until version 0.4 and gives one warning that names the new one.

The tables of this module list the names of files, of the command line, and of columns and fields; `tests/end_to_end/test_renamed.py` and
`test_renamed_arguments.py` try each row. Names that plugins import are in `simulator.base.renamed_modules`. A class declares its renamed
attributes itself (`RenamedAttribute`), and a plugin may describe its parameters as in 0.2 (`simulator.base.old_parameters`).
"""

from __future__ import annotations

import re
import warnings
from operator import attrgetter
from typing import Any, NamedTuple

from simulator.base.errors import DeprecatedNameWarning, place_of
from simulator.base.units import is_suffix

CONTROLLERS = ("abs", "esc", "traction", "electric_drive", "skyhook")
"""Shipped controllers; a key of a third-party controller may have the name of an old key."""


class Key(NamedTuple):
    """A renamed key of a file."""

    kind: str
    """Folder of `configs`."""
    section: tuple[str, ...]
    """Path of the section; "*" stands for one part, "**" at the beginning for any path."""
    old: str
    """Without a unit."""
    new: str
    types: tuple[str, ...] = ()
    """Values of `type` of the section for which the row holds; empty: any."""


class Value(NamedTuple):
    """A renamed value of a key."""

    kind: str
    section: tuple[str, ...]
    key: str
    old: str
    new: str


KEYS = (
    Key("fits", ("**",), "least", "min"),
    Key("fits", ("**",), "most", "max"),
    Key("optimizations", ("**",), "least", "min"),
    Key("optimizations", ("**",), "most", "max"),
    Key("optimizations", (), "minimise", "minimize"),
    Key("optimizations", (), "maximise", "maximize"),
    Key("datasheets", ("figures", "*"), "least", "min"),
    Key("datasheets", ("figures", "*"), "most", "max"),
    Key("datasheets", (), "looked_in", "searched_in"),
    Key("datasheets", (), "because", "explanations"),
    Key("datasheets", ("figures",), "turning_circle_kerb_left", "turning_circle_curb_left"),
    Key("datasheets", ("figures",), "turning_circle_kerb_right", "turning_circle_curb_right"),
    Key("datasheets", ("explanations",), "turning_circle_kerb_left", "turning_circle_curb_left"),
    Key("datasheets", ("explanations",), "turning_circle_kerb_right", "turning_circle_curb_right"),
    Key("vehicles", ("controllers", "*"), "least_speed", "min_speed", CONTROLLERS),
    Key("vehicles", ("controllers", "*"), "least_excess", "min_excess", CONTROLLERS),
    Key("vehicles", ("controllers", "*"), "least_throttle", "min_throttle", CONTROLLERS),
    Key("vehicles", ("controllers", "*"), "least_rate", "min_rate", CONTROLLERS),
    Key("vehicles", ("controllers", "*"), "most_slip", "max_slip", CONTROLLERS),
    Key("vehicles", ("controllers", "*"), "most_pressure", "max_pressure", CONTROLLERS),
    Key("vehicles", ("controllers", "*"), "least", "min_ratio", ("skyhook",)),
    Key("vehicles", ("controllers", "*"), "most", "max_ratio", ("skyhook",)),
    Key("vehicles", ("controllers", "*"), "sky", "sky_damping", ("skyhook",)),
    Key("drivetrains", ("**", "battery"), "gives", "max_discharge_power"),
    Key("drivetrains", ("**", "battery"), "takes", "max_charge_power"),
    Key("drivetrains", ("**", "gearbox"), "synchroniser", "synchronizer"),
    Key("tires", ("**",), "window_spacing", "contact_grid_spacing"),
    Key("platforms", (), "cushion", "stroke_margin"),
    Key("washouts", ("cueing",), "motion_least", "motion_min"),
    Key("washouts", ("cueing",), "motion_most", "motion_max"),
    Key("washouts", ("cueing",), "motion_adaption", "motion_adaptation"),
    Key("washouts", ("cueing",), "tilt_least", "tilt_min"),
    Key("washouts", ("cueing",), "tilt_most", "tilt_max"),
    Key("washouts", ("cueing",), "tilt_adaption", "tilt_adaptation"),
    Key("washouts", ("cueing",), "turn_start", "rotation_start"),
    Key("washouts", ("cueing",), "turn_least", "rotation_min"),
    Key("washouts", ("cueing",), "turn_most", "rotation_max"),
    Key("washouts", ("cueing",), "turn_adaption", "rotation_adaptation"),
    Key("maneuvers", ("phases", "*"), "within", "timeout"),
    Key("maneuvers", (), "pictures", "plots"),
    Key("maneuvers", ("limits",), "turning_circle_kerb", "turning_circle_curb"),
    Key("maneuvers", ("limits",), "turning_circle_kerb_left", "turning_circle_curb_left"),
    Key("maneuvers", ("limits",), "turning_circle_kerb_right", "turning_circle_curb_right"),
    Key("sessions", ("outlets",), "others", "plugins"),
    Key("sessions", ("outlets",), "feel", "force_feedback"),
)
"""Keys of files."""

VALUES = (
    Value("tires", ("**",), "combination", "normalised", "normalized"),
    Value("terrains", ("features", "*"), "type", "kerb", "curb"),
)
"""Values of keys."""

FILES = {
    ("vehicles", "hmmwv_hand"): "hmmwv_manual",
    ("drivetrains", "drivetrain_hand"): "drivetrain_manual",
    ("tires", "measured_hmmwv"): "computed_hmmwv",
}
"""Shipped files, by kind and old name."""

KINDS = {
    "parts": "drivetrains",
    "facts": "datasheets",
    "optimisations": "optimizations",
    "tread_laws": "tire_models",
    "height_formats": "elevation_formats",
    "washout_laws": "washout_algorithms",
}
"""Kinds of `jounce list`, `jounce schema` and `jounce check --kind`."""

FOLDERS = {"facts": "datasheets", "optimisations": "optimizations", "vehicles/parts": "drivetrains"}
"""Folders of files of a kind."""

GROUPS = {
    "jounce.tread_laws": "jounce.tire_models",
    "jounce.heights": "jounce.elevation_formats",
    "jounce.washouts": "jounce.washout_algorithms",
    "jounce.sources": "jounce.input_sources",
    "jounce.terrains": "jounce.terrain_types",
}
"""Entry-point groups of plugins."""

COLUMNS = {"pitman_angle": "steering_gear_angle", "command_by_foot": "command_manual_clutch"}
"""Columns of the telemetry."""

COMMAND_FIELDS = {"by_foot": "manual_clutch"}
"""Fields of COMMAND."""

COMMANDS = {
    ("optimise",): ("optimize",),
    ("facts",): ("datasheet",),
}
"""Verbs of the command line."""

OPTIONS = {
    ("run", "--pictures"): "--plots",
    ("devices", "--feel"): "--force-feedback",
    ("devices", "--force"): "--overwrite",
    ("cueing", "--sets"): "--evaluations",
    ("datasheet", "--figures"): "--reference",
    ("mechanism", "--control"): "--stabilization",
    ("mechanism", "--method"): "--integrator",
    ("platform", "--picture"): "--plot",
}
"""Options of the command line, by verb and old name."""


def warn(old: str, new: str, file: object = None, key: str = "") -> None:
    """Warn of an old name: `FILE:LINE: OLD: deprecated; use NEW`."""
    place = "" if file is None else f"{place_of(str(file), key)}: "
    warnings.warn(f"{place}{old}: deprecated; use {new}", DeprecatedNameWarning, stacklevel=3)


def kind(name: str) -> str:
    """Return the present name of a kind of `jounce list`; an old name gives a warning."""
    if name not in KINDS:
        return name
    warn(name, KINDS[name])
    return KINDS[name]


def column(name: str) -> str:
    """Return the present name of a column, with its unit if it has one; an old name gives a warning."""
    new = present_column(name)
    if new != name:
        warn(name, new)
    return new


def present_column(name: str) -> str:
    """Return the present name of a column of a log that an older version wrote."""
    for old, new in COLUMNS.items():
        if name == old or (name.startswith(f"{old}_") and is_suffix(name.removeprefix(f"{old}_"))):
            return new + name.removeprefix(old)
    return name


def in_expression(text: str) -> str:
    """Return an expression with the present names of columns; an old name gives a warning."""
    return _OLD_COLUMN.sub(lambda match: column(match[0]), text)


_OLD_COLUMN = re.compile(rf"\b(?:{'|'.join(COLUMNS)})\b")


class RenamedAttribute:
    """Attribute of a class that is now at `path` below the object; reading or setting it gives a warning."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        warn(self.name, self.path)
        return attrgetter(self.path)(instance)

    def __set__(self, instance: Any, value: Any) -> None:
        warn(self.name, self.path)
        part, _, name = self.path.rpartition(".")
        setattr(attrgetter(part)(instance), name, value)


def command_field(name: str) -> str:
    """Return the present name of a field of COMMAND; an old name gives a warning."""
    if name not in COMMAND_FIELDS:
        return name
    warn(name, COMMAND_FIELDS[name])
    return COMMAND_FIELDS[name]
