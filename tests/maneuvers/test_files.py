"""Does every shipped maneuver load, and does the error of every broken one name the key and the file in one line?"""

from __future__ import annotations

import copy
import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.base.errors import ConfigError
from simulator.driver.scripted import ScriptedDriver
from simulator.maneuvers.maneuver_file import load_maneuver
from tests.maneuvers.shipped import FOLDER, changed, shipped

SHIPPED = sorted(file.stem for file in FOLDER.glob("*.yaml"))


def script():
    good = shipped("double_lane_change")
    del good["lane_changes"], good["limits"], good["speed"]
    return good | {"script": [{"at_s": 0, "steering": 0, "throttle": 0.3}, {"at_s": 5, "steering": 0.2}]}


def test_scenario_2_of_the_paper():
    maneuver = load_maneuver(shipped("double_lane_change"), "f")
    assert [(change.at, change.offset > 0.0) for change in maneuver.timed] == [(30.0, True), (50.0, False)]
    assert maneuver.timed[0].offset == -maneuver.timed[1].offset
    assert maneuver.duration > 60.0


def test_avtp_is_driven_at_50_kph():
    maneuver = load_maneuver(shipped("avtp_lane_change"), "f")
    assert maneuver.body.width == 2.18
    assert maneuver.limits["entry_speed"].low == pytest.approx(49.0 / 3.6)
    assert len(maneuver.gates) == 3


def test_units_in_keys_are_units():
    good = shipped("double_lane_change")
    bare = copy.deepcopy(good)
    bare["duration"], bare["step"] = bare.pop("duration_s"), 0.001
    del bare["step_ms"]
    bare["speed"] = [{"at": 1, "speed_kph": 72, "acceleration": 1.2}]
    bare["limits"]["roll_max_rad"] = {"max": math.radians(bare["limits"].pop("roll_max_deg")["max"])}
    a, b = load_maneuver(good, "a"), load_maneuver(bare, "b")
    assert (a.duration, a.step, a.timed, a.limits) == (b.duration, b.step, b.timed, b.limits)


def test_script_makes_a_scripted_driver():
    maneuver = load_maneuver(script(), "f")
    assert maneuver.path is None
    assert isinstance(maneuver.driver((0.0, 0.0, 0.0)), ScriptedDriver)


def test_way_points_and_own_gates_load():
    good = shipped("double_lane_change")
    del good["lane_changes"], good["limits"]
    assert load_maneuver(good | {"waypoints_m": [[0, 0], [50, 0], [90, 30]]}, "f").path.at(50.0).curvature > 0.0
    gates = [{"start_m": 50, "length_m": 10, "center_m": 0, "width_m": 3}, {"start_m": 90, "length_m": 10, "center_m": -2, "width_m": 3}]
    maneuver = load_maneuver(good | {"course": {"gates": gates}}, "f")
    assert maneuver.path.at(95.0).y == pytest.approx(-2.0)


NAN, INF = math.nan, math.inf
BROKEN = [
    # file, path of keys to set (None = delete), value, key in the message
    ("double_lane_change", ["vehicle"], None, "vehicle"),
    ("double_lane_change", ["vehicle"], 7, "vehicle"),
    ("double_lane_change", ["vehicle"], "a\nb", "vehicle"),
    ("double_lane_change", ["vehicle"], "", "vehicle"),
    ("double_lane_change", ["terrain"], ["flat"], "terrain"),
    ("double_lane_change", ["name"], "two\nlines", "name"),
    ("double_lane_change", ["duration_s"], None, "duration_s"),
    ("double_lane_change", ["duration_s"], "65", "duration_s"),
    ("double_lane_change", ["duration_s"], "1e3", "duration_s"),
    ("double_lane_change", ["duration_s"], True, "duration_s"),
    ("double_lane_change", ["duration_s"], 0, "duration_s"),
    ("double_lane_change", ["duration_s"], -1, "duration_s"),
    ("double_lane_change", ["duration_s"], NAN, "duration_s"),
    ("double_lane_change", ["duration_s"], INF, "duration_s"),
    ("double_lane_change", ["duration_s"], 10**400, "duration_s"),
    ("double_lane_change", ["duration_s"], [65], "duration_s"),
    ("double_lane_change", ["duration_s"], None, "duration_s"),
    ("double_lane_change", ["duration_s"], 20, "lane_changes[0].at_s"),
    ("double_lane_change", ["duration"], 65, "duration"),
    ("double_lane_change", ["duration_kph"], 65, "duration_kph"),
    ("double_lane_change", ["durations_s"], 65, "durations_s"),
    ("double_lane_change", [1], 65, "1"),
    ("double_lane_change", ["two\nlines"], 65, "'two\\nlines'"),
    ("double_lane_change", ["limits", "two\nlines"], {"max": 1}, "limits.'two\\nlines'"),
    ("double_lane_change", ["step_ms"], 0, "step_ms"),
    ("double_lane_change", ["step_ms"], 1000, "step_ms"),
    ("double_lane_change", ["step_ms"], 3, "step_ms"),
    ("double_lane_change", ["seed"], 1.5, "seed"),
    ("double_lane_change", ["seed"], -1, "seed"),
    ("double_lane_change", ["seed"], True, "seed"),
    ("double_lane_change", ["title"], 3, "title"),
    ("double_lane_change", ["body"], None, "body"),
    ("double_lane_change", ["body"], 2.18, "body"),
    ("double_lane_change", ["body", "width_m"], 0, "body.width_m"),
    ("double_lane_change", ["body", "height_m"], 1.8, "body.height_m"),
    ("double_lane_change", ["body", "length_m"], None, "body.length_m"),
    ("double_lane_change", ["speed"], None, "speed"),
    ("double_lane_change", ["speed"], [], "speed"),
    ("double_lane_change", ["speed"], {"speed": 3}, "speed"),
    ("double_lane_change", ["speed", 0], 20, "speed[0]"),
    ("double_lane_change", ["speed", 0, "speed_mps"], "fast", "speed[0].speed_mps"),
    ("double_lane_change", ["speed", 0, "speed_mps"], 300, "speed[0].speed_mps"),
    ("double_lane_change", ["speed", 0, "speed_kph"], 72, "speed[0].speed_kph"),
    ("double_lane_change", ["speed", 0, "acceleration_mps2"], 0, "speed[0].acceleration_mps2"),
    ("double_lane_change", ["speed", 0, "at_s"], None, "speed[0]"),
    ("double_lane_change", ["speed", 0, "at_station_m"], 5, "speed[0]"),
    ("double_lane_change", ["lane_changes", 0, "length_m"], 0, "lane_changes[0].length_m"),
    ("double_lane_change", ["lane_changes", 0, "offset_m"], 1e9, "lane_changes[0].offset_m"),
    ("double_lane_change", ["lane_changes", 1, "at_s"], 10, "lane_changes[1].at_s"),
    ("double_lane_change", ["lane_changes", 1, "at_s"], None, "lane_changes[1]"),
    ("double_lane_change", ["waypoints_m"], [[0, 0]], "waypoints_m"),
    ("double_lane_change", ["waypoints_m"], [[0, 0], [0.5, 0]], "waypoints_m[1]"),
    ("double_lane_change", ["waypoints_m"], [[0, 0], [1, 2, 3]], "waypoints_m[1]"),
    ("double_lane_change", ["waypoints_m"], [[0, 0], [1, NAN]], "waypoints_m[1]"),
    ("double_lane_change", ["course"], {"standard": "avtp_03_160w", "start_m": 150}, "course"),
    ("double_lane_change", ["driver"], {"gain_deg": 0}, "driver.gain_deg"),
    ("double_lane_change", ["driver"], {"preview_s": -1}, "driver.preview_s"),
    ("double_lane_change", ["driver"], {"kind": "path"}, "driver.kind"),
    ("double_lane_change", ["pedals"], {"integral": NAN}, "pedals.integral"),
    ("double_lane_change", ["limits"], ["path_error_max_m"], "limits"),
    ("double_lane_change", ["limits", "path_eror_max_m"], {"max": 1}, "limits.path_eror_max_m"),
    ("double_lane_change", ["limits", "path_error_max_s"], {"max": 1}, "limits.path_error_max_s"),
    ("double_lane_change", ["limits", "path_error_max_m"], 0.3, "limits.path_error_max_m"),
    ("double_lane_change", ["limits", "path_error_max_m"], {}, "limits.path_error_max_m"),
    ("double_lane_change", ["limits", "path_error_max_m"], {"most": 1}, "limits.path_error_max_m.most"),
    ("double_lane_change", ["limits", "path_error_max_m"], {"max": "1"}, "limits.path_error_max_m.max"),
    ("double_lane_change", ["limits", "path_error_max_m"], {"min": 2, "max": 1}, "limits.path_error_max_m"),
    ("double_lane_change", ["limits", "path_error_max"], {"max": 1}, "limits.path_error_max"),
    ("double_lane_change", ["limits", "cones_hit"], {"max": 0}, "limits.cones_hit"),
    ("avtp_lane_change", ["course", "standard"], "avtp", "course.standard"),
    ("avtp_lane_change", ["course", "standard"], None, "course"),
    ("avtp_lane_change", ["course", "start_m"], None, "course.start_m"),
    ("avtp_lane_change", ["course", "start_m"], -50, "course.start_m"),
    ("avtp_lane_change", ["course", "side"], "up", "course.side"),
    ("avtp_lane_change", ["course", "side"], False, "course.side"),
    ("avtp_lane_change", ["course", "overlap_m"], 11, "course.overlap_m"),
    ("avtp_lane_change", ["course", "gates"], [{"start_m": 9, "length_m": 9, "center_m": 0, "width_m": 3}], "course"),
    ("avtp_lane_change", ["course"], {"gates": [{"start_m": 9, "length_m": 9, "center_m": 0, "width_m": 2}]}, "course.gates[0].width_m"),
    ("avtp_lane_change", ["course"], {"gates": [{"start_m": 9, "length_m": 9, "center_m": 0}]}, "course.gates[0].width_m"),
    ("avtp_lane_change", ["course"], {"gates": [{"start_m": 2, "length_m": 9, "center_m": 1, "width_m": 3}]}, "course.gates[0].start_m"),
    (
        "avtp_lane_change",
        ["course"],
        {"start_m": 1, "gates": [{"start_m": 9, "length_m": 9, "center_m": 0, "width_m": 3}]},
        "course.start_m",
    ),
    ("avtp_lane_change", ["script"], [{"at_s": 0}], "course"),
]


@pytest.mark.parametrize(("name", "keys", "value", "named"), BROKEN, ids=[f"{i}-{row[3]}" for i, row in enumerate(BROKEN)])
def test_broken_file_names_file_and_key(name, keys, value, named):
    broken = changed(shipped(name), keys, value)
    with pytest.raises(ConfigError) as error:
        load_maneuver(broken, "my_maneuver.yaml")
    assert error.value.key == named
    text = str(error.value).splitlines()[0]
    assert text.startswith(f"my_maneuver.yaml: {named}: ") and "expected" in text


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"step_ms": 3}, "step_ms: invalid value; expected a step of which 10 ms, the driver period, is a multiple; got 3.0"),
        (
            {"duration_s": None, "duration_ms": 20_000},
            "lane_changes[0].at_s: invalid value; expected a time within the duration of 20 s; got 30.0",
        ),
        (
            {"lane_changes": [{"at_ms": 70_000, "offset_m": 3, "length_m": 60}]},
            "lane_changes[0].at_ms: invalid value; expected a time within the duration of 65000 ms; got 70000.0",
        ),
        (
            {"lane_changes": [], "limits": {}, "waypoints_km": [[0, 0], [0.0005, 0]]},
            "waypoints_km[1]: invalid value; expected a distance of at least 0.001 km from the previous point; got [0.0005, 0.0]",
        ),
        (
            {"lane_changes": [], "limits": {}, "waypoints": [[0, 0], [0.5, 0]]},
            "waypoints[1]: invalid value; expected a distance of at least 1 m from the previous point; got [0.5, 0.0]",
        ),
    ],
)
def test_contradictions_are_reported_in_the_units_of_the_file(changes, said):
    mapping = {key: value for key, value in (shipped("double_lane_change") | changes).items() if value is not None}
    with pytest.raises(ConfigError, match="^f: " + re.escape(said)):
        load_maneuver(mapping, "f")


SCRIPTS = [
    ([], "speed"),
    ([{"at_s": 0}, {"at_s": 0}], "script[1].at_s"),
    ([{"at_s": 0, "steering": 2}], "script[0].steering"),
    ([{"at_s": 0, "throttle": -0.1}], "script[0].throttle"),
    ([{"at_s": 0, "clutch": 1}], "script[0].clutch"),
    ([{"steering": 0}], "script[0].at_s"),
]


@pytest.mark.parametrize(("lines", "named"), SCRIPTS)
def test_broken_script_names_its_line(lines, named):
    with pytest.raises(ConfigError) as error:
        load_maneuver(script() | {"script": lines}, "f")
    assert error.value.key == named


def test_a_script_has_no_station_and_no_path():
    with pytest.raises(ConfigError, match=r"speed\[0\].at_station"):
        load_maneuver(script() | {"speed": [{"at_station_m": 3, "speed": 3, "acceleration": 1}]}, "f")
    with pytest.raises(ConfigError, match=r"limits.path_error_max_m"):
        load_maneuver(script() | {"limits": {"path_error_max_m": {"max": 1}}}, "f")
    with pytest.raises(ConfigError, match=r"lane_changes"):
        load_maneuver(script() | {"lane_changes": [{"at_s": 1, "offset": 1, "length": 10}]}, "f")


@pytest.mark.parametrize("content", [None, [], "text", 3, [{"name": "x"}]])
def test_a_file_that_is_no_mapping(content):
    with pytest.raises(ConfigError, match=r"^f\.yaml: "):
        load_maneuver(content, "f.yaml")


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), junk=JUNK)
def test_junk_anywhere_is_accepted_or_refused_politely(data, junk):
    broken = shipped(data.draw(st.sampled_from(SHIPPED)))
    place = broken
    while True:
        key = data.draw(st.sampled_from(sorted(place, key=str) if isinstance(place, dict) else range(len(place))))
        if not isinstance(place[key], (dict, list)) or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = junk
    try:
        load_maneuver(broken, "f.yaml")
    except ConfigError as error:
        assert all(line.startswith("f.yaml: ") and line.isprintable() for line in str(error).split("\n"))
