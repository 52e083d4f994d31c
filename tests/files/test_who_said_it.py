"""Does a message name the file or option that the user wrote, and not the shipped file that it changes?"""

from pathlib import Path

import pytest
import yaml

from simulator.base.errors import ConfigError
from simulator.builder.builder import build, build_maneuver
from simulator.configuration.configuration import Configuration, configuration
from simulator.configuration.overrides import changes, read_settings
from simulator.sweep.configuration_cache import Shared

CARGO = {"chassis": {"fixed_masses": {"cargo": {"mass": 8860}}}}
OVERLOAD = "at most 30 kN, the load_max of the tires `tmeasy_hmmwv`"
FAST = {"parameters": {"speed_kph": 1600}}
TOO_FAST = "expected a number in km/h, from 0 to 216"


def written(path: Path, content: object) -> str:
    path.write_text(yaml.safe_dump(content))
    return str(path)


def said(one: Configuration) -> str:
    """What is said when a session of this configuration is built and reset."""
    with pytest.raises(ConfigError) as error:
        build(one).session(None).reset()  # type: ignore[arg-type]
    assert len(str(error.value).splitlines()) == 1, error.value
    return str(error.value)


def of_sweep(file: str, key: str, value: object, **base: object) -> Configuration:
    """The configuration of a run of a sweep file."""
    return Shared(base, file, str).run({key: value}, lambda key: f"vary.{key}")[0]


def test_an_overload_names_the_mass_that_the_user_wrote(tmp_path):
    vehicle = written(tmp_path / "v.yaml", {"base": "hmmwv_gross", **CARGO})
    key = "chassis.fixed_masses.cargo.mass"
    assert said(configuration(None, changes({"vehicle": vehicle, "terrain": "flat"}))).startswith(f"{vehicle}:5: {key}: invalid value")
    setting = read_settings(["vehicle=hmmwv_gross", "terrain=flat", f"vehicle.{key}=8860"])
    text = said(configuration(None, setting))
    assert text.startswith(f"--set vehicle.{key}: invalid value; expected {OVERLOAD}") and "47.3 kN on a wheel of `rear`" in text
    session = written(tmp_path / "session.yaml", {"vehicle": {"base": "hmmwv_gross", **CARGO}, "terrain": "flat"})
    assert said(configuration(session)).startswith(f"{session}:7: vehicle.{key}: ")
    sweep = written(tmp_path / "sweep.yaml", {"vary": {f"vehicle.{key}": 8860}})
    assert said(of_sweep(sweep, f"vehicle.{key}", 8860, vehicle="hmmwv_gross", terrain="flat")).startswith(
        f"{sweep}:2: vary.vehicle.{key}: "
    )


def test_of_two_masses_the_upper_file_is_named(tmp_path):
    written(tmp_path / "lower.yaml", {"base": "hmmwv", "chassis": {"mass": 2000}})
    upper = written(tmp_path / "upper.yaml", {"base": "lower", "chassis": {"fixed_masses": {"cargo": {"mass_kg": 8860}}}})
    assert said(configuration(None, changes({"vehicle": upper, "terrain": "flat"}))).startswith(
        f"{upper}:5: chassis.fixed_masses.cargo.mass_kg: "
    )


def test_an_overload_of_all_axles_is_one_line(tmp_path):
    """Tires and springs of both axles give way to one mass."""
    vehicle = written(tmp_path / "v.yaml", {"base": "hmmwv", "chassis": {"mass": 90e3}})
    text = said(configuration(None, changes({"vehicle": vehicle, "terrain": "flat"})))
    assert text.startswith(f"{vehicle}:3: chassis.mass: invalid value; expected {OVERLOAD}; got '90580 kg, 231 kN on a wheel of `front`'")


def test_a_center_of_mass_beyond_the_wheels_is_one_line(tmp_path):
    vehicle = written(tmp_path / "v.yaml", {"base": "hmmwv", "chassis": {"com_m": [9.0, 9.0, 0.3]}})
    text = said(configuration(None, changes({"vehicle": vehicle, "terrain": "flat"})))
    assert text.startswith(f"{vehicle}:") and "from x = " in text and "and from y = " in text


def test_the_gravity_of_the_terrain_is_named_if_it_causes_the_overload(tmp_path):
    terrain = written(tmp_path / "t.yaml", {"type": "flat", "surface": "asphalt", "gravity": 40})
    text = said(configuration(None, changes({"vehicle": "hmmwv", "terrain": terrain})))
    assert text.startswith(f"{terrain}:1: gravity: invalid value; expected {OVERLOAD}; got '40 m/s2, ")
    text = said(configuration(None, read_settings(["terrain=flat", "vehicle=hmmwv", "terrain.gravity=40"])))
    assert text.startswith("--set terrain.gravity: ")
    session = written(tmp_path / "session.yaml", {"vehicle": "hmmwv", "terrain": "flat", "world": {"gravity": 40}})
    assert said(configuration(session)).startswith(f"{session}:4: world.gravity: ")


def test_a_parameter_of_a_maneuver_is_named_where_it_was_written(tmp_path):
    maneuver = written(tmp_path / "m.yaml", {"base": "avtp_lane_change", **FAST})
    with pytest.raises(ConfigError) as error:
        build_maneuver(maneuver)
    assert str(error.value) == f"{maneuver}:3: parameters.speed_kph: invalid value; {TOO_FAST}; got 1600"
    text = said(configuration(None, read_settings(["maneuver=avtp_lane_change", "maneuver.parameters.speed_kph=1600"])))
    assert text.startswith(f"--set maneuver.parameters.speed_kph: invalid value; {TOO_FAST}")
    session = written(tmp_path / "session.yaml", {"maneuver": {"base": "avtp_lane_change", **FAST}})
    assert said(configuration(session)).startswith(f"{session}:4: maneuver.parameters.speed_kph: ")
    sweep = written(tmp_path / "sweep.yaml", {"vary": {"maneuver.parameters.speed_kph": 1600}})
    one = of_sweep(sweep, "maneuver.parameters.speed_kph", 1600, maneuver="avtp_lane_change")
    assert said(one).startswith(f"{sweep}:2: vary.maneuver.parameters.speed_kph: invalid value; {TOO_FAST}")


def test_a_product_of_a_parameter_is_shown(tmp_path):
    body = {"length": 4.5, "width": 2.0, "front": 1.0}
    content = {"name": "m", "duration_s": 9, "body": body, "parameters": {"v_kph": 200}, "start": {"speed_kph": "2 * $v_kph"}, "script": []}
    file = written(tmp_path / "m.yaml", content)
    with pytest.raises(ConfigError, match=r"m\.yaml:\d+: start\.speed_kph: .* from 0 to 216 for 2 \* \$v_kph; got 400"):
        build_maneuver(file)


def test_the_cause_of_an_error_survives_pickling_and_is_no_part_of_its_text():
    import pickle

    error = ConfigError("v.yaml", "chassis.mass", 1.0, "less", ["tires"])
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.causes) == (str(error), ("tires",))
    assert "tires" not in str(error)
