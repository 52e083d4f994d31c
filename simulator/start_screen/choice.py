"""Choice of the start screen: its rows, the values that each row can have, and the options of `jounce drive` that follow."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os.path import isfile, join
from typing import Any, NamedTuple

from simulator.base.headline import headline
from simulator.configuration.file_lookup import data_folder
from simulator.driver.input_devices.kinds import INPUT_SOURCE_KINDS
from simulator.driver.kinds import DRIVER_KINDS, FOLLOWER
from simulator.run.course_results import all_results, result_text, score
from simulator.view.menu import Option

AUTO = "auto"
OF_MANEUVER = "of the maneuver"
OF_COURSE = "of the course"
DRIVERS = (
    Option(AUTO, "you drive, with the device that you use: steering wheel, game controller or keyboard"),
    Option("keyboard", "you drive, with the keyboard"),
    Option("gamepad", "you drive, with a game controller"),
    Option("wheel", "you drive, with steering wheel and pedals"),
    Option(FOLLOWER, "the scripted driver drives a maneuver"),
)


class WeatherPreset(NamedTuple):
    """Weather by a name."""

    name: str
    note: str
    overrides: tuple[str, ...] = ()
    """Values for --set."""


WEATHER = (
    WeatherPreset("default", "an afternoon with few clouds, unless the session file has another weather"),
    WeatherPreset("clear", "ten in the morning, no clouds", ("weather.time_of_day_h=10", "weather.clouds=0")),
    WeatherPreset("overcast", "closed clouds, dry", ("weather.clouds=1",)),
    WeatherPreset("rain", "5 mm/h, visibility 5 km", ("weather.rain_mmph=5", "weather.visibility=5000")),
    WeatherPreset("storm", "30 mm/h, visibility 1 km", ("weather.rain_mmph=30", "weather.visibility=1000")),
    WeatherPreset("fog", "visibility 100 m", ("weather.visibility=100",)),
    WeatherPreset("dusk", "the sun is 3 degrees above the horizon", ("weather.time_of_day_h=17.6",)),
    WeatherPreset("night", "two in the morning, with a moon; the lamps are lit", ("weather.time_of_day_h=2",)),
    WeatherPreset("snow", "snowfall of 1 mm/h on fresh snow; grip as without snow", ("weather.snowfall_mmph=1", "weather.snow=1")),
)
_SOURCE = re.compile(r" ?\[\w+\]")
"""Mark of a source in a description."""
CARS = ("hmmwv", "sedan", "sedan_e90", "sedan_electric", "light_truck")
"""Vehicles that the start screen shows first, with a picture; the others are behind `more`."""
WORLDS = ("town", "forest", "hills", "dunes", "proving_ground", "circuit")
"""Terrains that the start screen shows first, with a picture; they are generated at their first use."""
COURSES = ("circuit_race", "autocross", "hill_trial", "forest_chase")
"""Sessions with a timed course, with a picture."""
SHOWN_FIRST = {"vehicle": CARS, "terrain": WORLDS}
FREE = "free drive"
"""Value of the row of the course without one."""
ROWS = ("course", "course_vehicle", "vehicle", "terrain", "weather", "driver", "maneuver", "maneuver_vehicle", "maneuver_terrain")
"""Rows with a value; the last three are those of a maneuver, `course_vehicle` is that on a course."""
USUAL = {
    "course": FREE,
    "course_vehicle": OF_COURSE,
    "vehicle": "hmmwv",
    "terrain": "hills",
    "weather": WEATHER[0].name,
    "driver": AUTO,
    "maneuver": "scripted_drive",
    "maneuver_vehicle": OF_MANEUVER,
    "maneuver_terrain": OF_MANEUVER,
}


def options_of(row: str, current: str) -> list[Option]:
    """Return the values that a row can have, with the current one, which may be the path of a file."""
    if row == "driver":
        known = list(DRIVERS)
    elif row == "weather":
        known = [Option(preset.name, preset.note) for preset in WEATHER]
    elif row == "course":
        known = [Option(FREE, "no timed course: choose a terrain"), *map(_course_option, COURSES)]
    else:
        kind = row.rpartition("_")[2]
        folder = data_folder("configs") / f"{kind}s"
        files = sorted(folder.glob("[!.]*.yaml"))
        known = [Option(file.stem, _SOURCE.sub("", headline(file)), picture_of(kind, file.stem)) for file in files]
        if row != kind:
            known.insert(0, Option(USUAL[row], f"{kind} that the {row.partition('_')[0]} names"))
    return (
        known if any(option.name == current for option in known) else [Option(current, "from the command line or an earlier start"), *known]
    )


def _course_option(name: str) -> Option:
    """Return the option of a course, with the best result of the user."""
    text = headline(data_folder("configs") / "sessions" / f"{name}.yaml").partition(". ")[0].rstrip(".")
    best = min(all_results().get(name, ()), key=score, default=None)
    return Option(name, f"{text}; best: {result_text(best)}" if best is not None and best["finished"] else text, f"course_{name}")


def picture_of(kind: str, name: str) -> str:
    """Return the name of the picture of a vehicle or terrain; empty without one."""
    return f"{kind}_{name}" if name in SHOWN_FIRST.get(kind, ()) else ""


def first_options(row: str, options: Sequence[Option], current: str) -> list[Option]:
    """Return the options of a row that are shown first, which have pictures, and the current one; all options of a row without pictures."""
    names = SHOWN_FIRST.get(row.rpartition("_")[2], ())
    if not names:
        return list(options)
    known = {option.name: option for option in options}
    first = [known[name] for name in (OF_MANEUVER, OF_COURSE, *names) if name in known]
    return first if current in (option.name for option in first) or current not in known else [known[current], *first]


def initial_choice(saved: Mapping[str, str], given: Mapping[str, str], folder: str = "") -> dict[str, str]:
    """Return the values at the start: those of the command line, else those of the last start, else the usual ones.

    A value of the last start is left out if its file or driver does not exist any more: the user has not given it now. `folder` is the
    folder of relative file names.
    """
    choice = USUAL | {row: value for row, value in saved.items() if row in ROWS and _exists(row, value, folder)}
    choice |= {row: value for row, value in given.items() if row in ROWS}
    if choice["driver"] == FOLLOWER:
        rows = (row for row in ("vehicle", "terrain") if row in given and f"maneuver_{row}" not in given)
        choice |= {f"maneuver_{row}": given[row] for row in rows}
    return choice


def _exists(row: str, value: str, folder: str) -> bool:
    """Return whether a drive accepts a value of the last start."""
    if any(option.name == value for option in options_of(row, USUAL[row])):
        return True
    if row == "driver":
        return value in DRIVER_KINDS.names() or value in INPUT_SOURCE_KINDS.names()
    spellings = () if row == "weather" else (value, f"{value}.yaml")
    return any(isfile(join(folder, name)) for name in spellings)


def shown_rows(choice: Mapping[str, str]) -> tuple[str, ...]:
    """Return the rows that the choice of course and driver leaves; these two rows keep their places."""
    if choice["course"] != FREE:
        return "course", "driver", "course_vehicle", "weather"
    if choice["driver"] == FOLLOWER:
        return "course", "driver", "maneuver", "maneuver_vehicle", "maneuver_terrain", "weather"
    return "course", "driver", "vehicle", "terrain", "weather"


def drive_options(choice: Mapping[str, str]) -> dict[str, Any]:
    """Return the options of `jounce drive` by name; None: not given. `set` are further values for --set.

    >>> drive_options(USUAL | {"weather": "fog"})["set"]
    ['weather.visibility=100']
    """
    scripted = choice["driver"] == FOLLOWER
    rows = ("maneuver_vehicle", "maneuver_terrain") if scripted else ("vehicle", "terrain")
    vehicle, terrain = (None if choice[row] == OF_MANEUVER else choice[row] for row in rows)
    on_course = choice["course"] != FREE
    if on_course:
        vehicle, terrain = None if choice["course_vehicle"] == OF_COURSE else choice["course_vehicle"], None
    preset = next((preset for preset in WEATHER if preset.name == choice["weather"]), WEATHER[0])
    return {
        "vehicle": vehicle,
        "terrain": terrain,
        "driver": choice["driver"],
        "maneuver": choice["maneuver"] if scripted and not on_course else None,
        **({"session": choice["course"]} if on_course else {}),
        "set": list(preset.overrides),
    }
