"""Configurations from files: bases, overrides, contents in place of names, and the file named in an error."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from program import ROOT, call, refused

from simulator.base.errors import ConfigError
from simulator.builder.builder import build, build_ground, build_maneuver, build_platform, build_vehicle, vehicle_description
from simulator.configuration.configuration import configuration
from simulator.configuration.key_path import parse, written
from simulator.configuration.overrides import changes, option, read_settings
from simulator.configuration.session_file import read_session
from tests.messages import is_message

CONFIGS = ROOT / "configs"
FLAT = {"maneuver": "avtp_lane_change"}
HMMWV = yaml.safe_load((CONFIGS / "vehicles/hmmwv.yaml").read_text())["chassis"]
LOAD = HMMWV["fixed_masses"].values()
LOAD_MASS = sum(body["mass"] for body in LOAD)
"""What the shipped vehicle carries, which counts as part of its chassis."""


def file(path, mapping):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(mapping))
    return str(path)


def made(values, *words):
    """Parts of a session with these values and `--set` words."""
    return build(configuration(None, [*changes(values), *read_settings(words)]), check_step=False)


def complaint(*words, values=FLAT):
    with pytest.raises(ConfigError) as raised:
        made(values, *words)
    return str(raised.value)


@pytest.mark.parametrize("text", ["vehicle", "axles.front.com[2]", "a[0][1].b", "limits.path_error_max_m"])
def test_a_key_path_is_read_as_it_is_written(text):
    assert written(parse(text)) == text


# Settings -----------------------------------------------------------------------------------------------------------------------


def test_settings_go_through_names_into_files():
    parts = made(
        FLAT,
        "vehicle.chassis.mass=2600",
        "vehicle.tires.friction=0.7",
        "vehicle.drivetrain.engine.inertia=1.5",
        "vehicle.chassis.com.0=0.1",
        "terrain.surface.friction=0.55",
        "washout.cueing.tilt_gain[1]=0.5",
        "platform.leg_speed=0.4",
        "maneuver.phases[0].speed.value_kph=36",
    )
    model = parts.vehicle.model
    assert model.chassis[0]["mass"] == 2600.0 + LOAD_MASS
    moment = 2600.0 * 0.1 + sum(body["mass"] * body["com"][0] for body in LOAD)
    assert parts.vehicle.description.design.chassis.p_BoBcm[0] == pytest.approx(moment / (2600.0 + LOAD_MASS))
    assert (model.tires["friction"] == 0.7).all()
    assert model.drivetrain[0]["engine_inertia"] == 1.5
    assert parts.ground.soils[0]["friction"] == 0.55
    assert parts.cueing.platform[0]["leg_speed"] == 0.4
    whole = parts.configuration.complete()
    assert whole["vehicle"]["tires"]["friction"] == 0.7
    assert whole["soils"]["asphalt"]["friction"] == 0.55
    assert whole["washout"]["cueing"]["tilt_gain"] == [1.0, 0.5]
    assert whole["maneuver"]["phases"][0]["speed"]["value_kph"] == 36
    assert build_vehicle("hmmwv", check_step=False).model.chassis[0]["mass"] == HMMWV["mass"] + LOAD_MASS, "the file itself is as it was"


def test_the_order_of_settings_does_not_matter_between_a_name_and_what_is_in_its_file():
    for words in (
        ("vehicle.tires.friction=0.3", "vehicle.tires=tmeasy_chrono"),
        ("vehicle.tires=tmeasy_chrono", "vehicle.tires.friction=0.3"),
    ):
        tires = made(FLAT, *words).vehicle.model.tires
        assert (tires["friction"] == 0.3).all()
        assert (tires["torque_radius"] == 0.0).all(), "those of the other file"


def test_one_tire_of_two_that_have_the_same_name():
    tires = made(FLAT, "vehicle.tires={front: tmeasy_hmmwv, rear: tmeasy_hmmwv}", "vehicle.tires.rear.friction=0.4").vehicle.model.tires
    assert tires["friction"].tolist() == [0.8, 0.8, 0.4, 0.4]


def test_a_unit_may_be_another_than_that_of_the_file():
    assert made(FLAT, "maneuver.step=0.0005").step == 0.0005


def test_null_takes_a_key_out():
    ground = made(FLAT, "terrain.surface=null", "terrain.soil=lete_sand").ground
    assert ground.soil_names == ("lete_sand",)


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("vehicle.chassis.mas=2", "--set vehicle.chassis.mas: unknown key; expected ...; got 2; hint: did you mean mass?"),
        ("vehicle.chasis.mass=2", "--set vehicle.chasis.mass: unknown key; expected ...; got {'mass': 2}; hint: did you mean chassis?"),
        ("vehicle.chassis.mass=heavy", "--set vehicle.chassis.mass: invalid value; expected a number...; got 'heavy'"),
        ("vehicle.chassis.mass=-1", "--set vehicle.chassis.mass: invalid value; expected a number in kg, above 0...; got -1"),
        ("vehicle.chassis.mass=true", "--set vehicle.chassis.mass: invalid value; expected a number...; got True"),
        (
            "vehicle.chassis.com[3]=1",
            "--set vehicle.chassis.com[3]: invalid value; expected an index of vehicle.chassis.com from 0 to 2...; got 1",
        ),
        ("vehicle.chassis.com[0]=x", "--set vehicle.chassis.com[0]: invalid value; expected ...; got ['x'"),
        (
            "vehicle.chassis.mass.x=1",
            "--set vehicle.chassis.mass.x: invalid value; expected an existing key; vehicle.chassis.mass is 1817.0...; got 1",
        ),
        ("vehicle.tires.friction=1e3", "hint: YAML reads '1e3' as text; write 1000.0"),
        ("vehicle.tires.fricton=1", "--set vehicle.tires.fricton: unknown key; expected ...; got 1; hint: did you mean friction?"),
        ("vehicle.tires={base: tmeasy_chrono, friction: x}", "--set vehicle.tires: friction: invalid value; expected ...; got 'x'"),
        ("vehicle.drivetrain.engine.inertia=x", "--set vehicle.drivetrain.engine.inertia: "),
        ("vehicle=hmwv", "--set vehicle: invalid value; expected a file, or one of...; got 'hmwv'"),
        ("vehicle=3", "--set vehicle: invalid value; expected a name...; got 3"),
        ("vehicl.chassis.mass=2", "--set vehicl.chassis.mass: "),
        ("terrain.grade_percent=1000", "--set terrain.grade_percent: invalid value; expected a number in %, from -200 to 200...; got 1000"),
        ("terrain.surface.friction=-1", "--set terrain.surface.friction: "),
        ("soils.mud.cohesion=3", "--set soils.mud: invalid value; expected a file, or one of...; got 'mud'"),
        (
            "soils.dry_sand.cohesion=3",
            "--set soils.dry_sand.cohesion: invalid value; expected a soil of this ground: asphalt...; got 'dry_sand'",
        ),
        ("washout.cueing.tilt_gain=[1]", "--set washout.cueing.tilt_gain: "),
        ("washout.cuing.x=1", "--set washout.cuing.x: "),
        (
            "maneuver.phases[0].speed.value_kph=500",
            "--set maneuver.phases[0].speed.value_kph: invalid value; expected a number in km/h, from 0 to 324...; got 500",
        ),
        ("maneuver.phases.5.name=x", "expected an index of maneuver.phases from 0 to 1, not 5"),
        ("seed=1.5", "--set seed: invalid value; expected a number, integer...; got 1.5"),
        ("step=0.0011", "--set step: invalid value; expected a step in s that divides 0.01 s...; got 0.0011"),
        ("world.wnd=[1, 0, 0]", "--set world.wnd: unknown key; expected ...; got [1, 0, 0]; hint: did you mean wind?"),
        ("world.wind=[1, 0]", "--set world.wind: invalid value; expected 3 numbers...; got [1, 0]"),
        ("world.wind=[1000, 0, 0]", "--set world.wind: "),
        ("outlets.motion.protocol=nativ", "--set outlets.motion.protocol: invalid value; expected one of native...; got 'nativ'"),
        ("outlets.motion.to=a:b:c", "--set outlets.motion.to: invalid value; expected HOST or HOST:PORT...; got 'a:b:c'"),
        (
            "outlets.streams=[outgage@10.0.0.7]",
            "--set outlets.streams: [0].protocol: invalid value; expected one of native...; got 'outgage'",
        ),
        ("outlets.streams=[outgauge@a:b:c]", "--set outlets.streams: [0].to: invalid value; expected HOST or HOST:PORT...; got 'a:b:c'"),
        (
            "outlets.streams=outgauge",
            "--set outlets.streams: invalid value; expected a list, each PROTOCOL, PROTOCOL@HOST...; got 'outgauge'",
        ),
        ("driver=[]", "--set driver: invalid value; expected ...; got []"),
    ],
)
def test_an_invalid_setting_is_named(word, words):
    assert is_message(words, complaint(word))


def test_streams_are_words_or_mappings_and_settings_reach_into_them():
    said = {"outlets.streams": ["outgauge@10.0.0.7", "moog@10.0.0.8:992", {"protocol": "srs", "rate": 60}, "forza"]}
    into = {"outlets.streams[1].protocol.armed": 1, "outlets.streams[0].rate": 30}
    streams = read_session(configuration(None, changes({**said, **into}))).streams
    assert [(one.protocol.name, dict(one.protocol.parameters), one.rate, one.to) for one in streams] == [
        ("outgauge", {}, 30, ("10.0.0.7", 30000)),
        ("moog", {"armed": 1}, None, ("10.0.0.8", 992)),
        ("srs", {}, 60, ("127.0.0.1", 33001)),
        ("forza", {}, None, ("127.0.0.1", 5300)),
    ]


@pytest.mark.parametrize("word", ["vehicle.chassis.mass", "=3", "a..b=3", "vehicle.chassis.mass=", "[0]=3", "vehicle.chassis.mass={"])
def test_what_is_no_setting_is_refused(word):
    with pytest.raises(ConfigError, match="--set"):
        read_settings([word])


@pytest.mark.parametrize("command", [("run", "avtp_lane_change"), ("drive", "--no-view", "--no-motion"), ("stream",)])
def test_every_verb_with_a_session_takes_settings(command, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = refused(call(capsys, *command, "--set", "vehicle.chassis.mas=2"))
    assert is_message("--set vehicle.chassis.mas: unknown key; expected ...; got 2; hint: did you mean mass?", line)
    assert list(tmp_path.iterdir()) == []


def test_programs_may_give_arrays_and_paths(tmp_path):
    vehicle = tmp_path / "v.yaml"
    file(vehicle, {"base": "hmmwv"})
    values = {
        "vehicle": vehicle,
        "vehicle.chassis.mass": np.float64(2100.0),
        "vehicle.chassis.com": np.array([0.1, 0.0, 0.2]),
        "world.wind": (1, 2, 0),
    }
    parts = made({**FLAT, **values})
    whole = parts.configuration.complete()
    assert yaml.safe_load(yaml.safe_dump(whole)) == whole
    assert (whole["vehicle"]["chassis"]["mass"], whole["vehicle"]["chassis"]["com"]) == (2100.0, [0.1, 0.0, 0.2])


# Bases --------------------------------------------------------------------------------------------------------------------------


def test_a_vehicle_is_another_one_with_changes(tmp_path):
    """From another folder: what the base names lies beside the base."""
    file(tmp_path / "parts" / "sticky.yaml", {"base": "tmeasy_hmmwv", "friction": 0.95})
    file(tmp_path / "parts" / "light.yaml", {"base": "hmmwv", "name": "light", "chassis": {"mass": 1500.0}, "tires": "sticky"})
    mine = file(tmp_path / "mine.yaml", {"base": "parts/light", "chassis": {"com": [0.1, 0.0, 0.2]}})
    vehicle, shipped = build_vehicle(mine, check_step=False), build_vehicle("hmmwv", check_step=False)
    assert vehicle.description.name == "light"
    assert (vehicle.model.chassis[0]["mass"], shipped.model.chassis[0]["mass"]) == (1500.0 + LOAD_MASS, HMMWV["mass"] + LOAD_MASS)
    assert (vehicle.model.tires["friction"] == 0.95).all()
    assert (vehicle.model.tires["stiffness"] == shipped.model.tires["stiffness"]).all()
    assert vehicle.model.struts == shipped.model.struts


def test_every_kind_of_file_may_have_a_base(tmp_path):
    assert build_ground(file(tmp_path / "t.yaml", {"base": "slope", "grade_percent": 5.0})).p[0]["slope"][0] == 0.05
    file(tmp_path / "mud.yaml", {"base": "sandy_loam", "cohesion": 4321.0})
    assert build_ground(file(tmp_path / "m.yaml", {"base": "flat_soil", "soil": "mud"})).soils[0]["cohesion"] == 4321.0
    assert build_platform(file(tmp_path / "p.yaml", {"base": "small_hexapod", "leg_speed": 0.3}))[0]["leg_speed"] == 0.3
    maneuver = build_maneuver(file(tmp_path / "d.yaml", {"base": "avtp_lane_change", "duration": 40.0}))
    assert (maneuver.name, maneuver.duration) == ("avtp_lane_change", 40.0), "seconds for the seconds of the base"
    washout = file(tmp_path / "w.yaml", {"base": "small_hexapod", "cueing": {"tilt_limit_deg": 9.0}})
    session = file(tmp_path / "s.yaml", {"base": "lane_change", "washout": washout, "seed": 7})
    whole = build(configuration(session), check_step=False).configuration.complete()
    assert whole["washout"]["cueing"]["tilt_limit_deg"] == 9.0
    assert (whole["seed"], whole["soils"]["asphalt"]["friction"]) == (7, 0.5)


def test_null_takes_out_what_the_base_has_and_a_base_of_null_replaces(tmp_path):
    loose = file(tmp_path / "t.yaml", {"base": "flat", "surface": None, "friction": 0.3})
    assert build_ground(loose).soils[0]["friction"] == pytest.approx(0.3)
    rear = {"base": None, **yaml.safe_load((CONFIGS / "vehicles/five_link_rear.yaml").read_text())["axles"]["rear"]}
    other = vehicle_description(file(tmp_path / "v.yaml", {"base": "hmmwv", "axles": {"rear": rear}}))
    assert [corner.kind for corner in other.design.corners] == ["double_wishbone"] * 2 + ["five_link"] * 2


def test_a_base_may_be_changed_in_place(tmp_path):
    """In a session file, and in a vehicle file for its tires."""
    tires = {"front": "tmeasy_hmmwv", "rear": {"base": "tmeasy_hmmwv", "friction": 0.6}}
    vehicle = file(tmp_path / "v.yaml", {"base": "hmmwv", "tires": tires})
    session = file(
        tmp_path / "s.yaml", {"vehicle": {"base": vehicle, "chassis": {"mass": 2222.0}}, "terrain": {"base": "flat", "gravity": 1.62}}
    )
    parts = build(configuration(session), check_step=False)
    assert parts.vehicle.model.chassis[0]["mass"] == 2222.0 + LOAD_MASS
    assert parts.vehicle.model.tires["friction"].tolist() == [0.8, 0.8, 0.6, 0.6]
    assert parts.gravity == 1.62


def test_a_circle_of_bases_is_refused_by_name(tmp_path):
    one, _ = file(tmp_path / "a.yaml", {"base": "b"}), file(tmp_path / "b.yaml", {"base": "a"})
    with pytest.raises(
        ConfigError,
        match=r"b\.yaml:1: base: invalid value; expected a base other than the file itself: a\.yaml -> b\.yaml -> a\.yaml; got 'a'",
    ):
        vehicle_description(one)


def test_a_copy_of_the_same_name_builds_on_the_shipped_one(tmp_path):
    assert vehicle_description(file(tmp_path / "hmmwv.yaml", {"base": "hmmwv", "name": "mine"})).name == "mine"


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ({"base": "hmwv"}, r"mine\.yaml:\d+: base: invalid value; .*got 'hmwv'; hint: did you mean hmmwv"),
        ({"base": 3}, r"mine\.yaml:\d+: base: invalid value; expected the name of a base file; got 3"),
        ({"base": "hmmwv", "chassis": {"com": [0.0, 0.0]}}, r"mine\.yaml:\d+: chassis\.com: "),
        ({"base": "hmmwv", "chasis": {}}, r"mine\.yaml:\d+: chasis: .*did you mean chassis"),
        ({"base": "below"}, r"below\.yaml:\d+: chassis\.mass: .*got 'heavy'"),
        (
            {"base": "below", "chassis": {"mass": 1.0}, "tires": {"base": "tmeasy_hmmwv", "friction": "x"}},
            r"mine\.yaml:\d+: tires\.friction: .*got 'x'",
        ),
    ],
)
def test_an_error_names_the_file_with_the_key(tmp_path, mapping, words):
    file(tmp_path / "below.yaml", {"base": "hmmwv", "chassis": {"mass": "heavy"}})
    with pytest.raises(ConfigError, match=words):
        build_vehicle(file(tmp_path / "mine.yaml", mapping), check_step=False)


# Session files ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(path.stem for path in (CONFIGS / "sessions").glob("*.yaml")))
def test_shipped_sessions_are_good(name):
    """The large terrain on a coarse grid, which takes no time."""
    large = configuration(name).name("terrain") == "jacksboro"
    coarse = {"terrain.grid.spacing": 16.0, "terrain.grid.count": [128, 128]} if large else {}
    parts = build(configuration(name, changes(coarse)), check_step=False)
    assert parts.options.title
    assert parts.maneuver is not None


def test_options_override_the_session_file_and_settings_override_options(tmp_path):
    session = file(tmp_path / "s.yaml", {"terrain": "slope", "step": 0.0005, "world": {"gravity": 3.7, "wind": [1.0, 2.0, 0.0]}})
    parts = build(configuration(session), check_step=False)
    assert (parts.step, parts.gravity, parts.ground.p[0]["slope"][0]) == (0.0005, 3.7, 0.3)
    assert parts.ground.air[0]["wind"].tolist() == [1.0, 2.0, 0.0]
    parts = build(configuration(session, [*changes({"terrain": "flat"}), *read_settings(["terrain=bump"])]), check_step=False)
    assert parts.configuration.name("terrain") == "bump"


def test_an_error_in_a_session_file_is_named(tmp_path):
    for mapping, words in (
        ({"vehicel": "hmmwv"}, "s.yaml:1: vehicel: unknown key; expected ...; got 'hmmwv'; hint: did you mean vehicle?"),
        (
            {"vehicle": {"base": "hmmwv", "chassis": {"mass": "x"}}},
            "s.yaml:4: vehicle.chassis.mass: invalid value; expected a number...; got 'x'",
        ),
        (
            {"outlets": {"motion": {"rate": 0}}},
            "s.yaml:3: outlets.motion.rate: invalid value; expected a number in Hz, from 1 to 1000...; got 0",
        ),
        ({"terrain": "flt"}, "s.yaml:1: terrain: invalid value; expected ...; got 'flt'"),
    ):
        with pytest.raises(ConfigError) as raised:
            build(configuration(file(tmp_path / "s.yaml", mapping)), check_step=False)
        assert is_message(words, str(raised.value))


def test_the_session_of_the_page_is_good(tmp_path):
    """The key `on`, which is a boolean in YAML, is accepted."""
    page = (ROOT / "docs" / "sessions.md").read_text(encoding="utf-8")
    session = tmp_path / "page.yaml"
    session.write_text(page.split("```yaml\n")[1].split("```")[0].replace("on: true", "on: false"), encoding="utf-8")
    options = read_session(configuration(str(session)))
    assert options.motion.on is False
    assert options.wind == (0.0, -12.0, 0.0)


def test_the_seed_of_a_session_seeds_the_ground():
    def heights(**values):
        small = {"origin": [0.0, 0.0], "spacing": 8.0, "count": [60, 60]}
        return made({**FLAT, "terrain": "jacksboro", "terrain.grid": small, "terrain.roads": None, **values}).ground.heights

    assert (heights(seed=1) == heights(seed=1)).all()
    assert (heights(seed=1) != heights(seed=2)).any()
    assert (heights() == heights()).all() and (heights() != heights(seed=1)).any(), "without one, the seeds in the file"


def test_all_errors_of_a_session_are_reported_at_once_with_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "five.yaml"
    file.write_text(
        "maneuver: avtp_lane_change\nvehicl: hmmwv\nstep: 5\nworld:\n  gravity: 900\n  wind: [1, 2]\noutlets: {telemetry: {rate: -2}}\n"
    )
    with pytest.raises(ConfigError) as error:
        read_session(configuration(str(file)))
    assert [(one.line, one.key) for one in error.value.errors] == [
        (2, "vehicl"),
        (3, "step"),
        (5, "world.gravity"),
        (6, "world.wind"),
        (7, "outlets.telemetry.rate"),
    ]


def test_contradictions_in_a_session_are_reported_at_once(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    file.write_text("step: 0.003\noutlets:\n  motion: {to: 'host:0'}\npreview: {run: runs, horizon: 1.0, step: 0.3}\n")
    with pytest.raises(ConfigError) as error:
        read_session(configuration(str(file)))
    assert [(one.line, one.key) for one in error.value.errors] == [(1, "step"), (3, "outlets.motion.to"), (4, "preview.horizon")]


def test_an_option_without_a_value_is_recorded_as_given():
    given = [*option("--no-motion", "outlets.motion.on", False, is_flag=True), *option("--duration", "duration", 2.0)]
    assert configuration(None, given).settings == ["--duration=2.0", "--no-motion"]
