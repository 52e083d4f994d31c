"""The examples of the pages about plugins: each is written to a file, loaded as a plugin, and behaves as its page describes."""

from __future__ import annotations

import math
import re
import socket
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType, ModuleType, SimpleNamespace

import numpy as np
import pytest
import yaml

from simulator.api.simulation import Simulation
from simulator.base.records import record
from simulator.base.registry import load_plugins
from simulator.builder.builder import build_cueing, build_ground, build_maneuver, build_platform, build_vehicle
from simulator.configuration.configuration import configuration
from simulator.configuration.session_file import read_session
from simulator.conformance.check_plugin import check_plugin
from simulator.driver.input_devices.human_driver import open_driver
from simulator.driver.kinds import DRIVER_KINDS
from simulator.driver.make_driver import DriverContext, new_driver
from simulator.events.event import Event, Origin
from simulator.maneuvers.conditions import QUANTITIES
from simulator.maneuvers.input_signals import profile_tables
from simulator.maneuvers.maneuver_file import load_maneuver
from simulator.maneuvers.metrics import columns as needed
from simulator.maneuvers.metrics import evaluate
from simulator.maneuvers.plots.kinds import PLOT_KINDS
from simulator.maneuvers.report.page import RunInfo
from simulator.maneuvers.report.write_report import write_report
from simulator.motion.protocols.contract import NO_ENGINE, Said, encoder_of
from simulator.motion.protocols.kinds import PROTOCOL_KINDS
from simulator.outlets.kinds import build_outlets
from simulator.run.series import load_series
from simulator.telemetry.writer import TelemetryWriter
from terrain.ground import soil_under
from terrain.load_terrain import load_terrain
from terrain.objects.kinds import OBJECT_GENERATOR_KINDS
from terrain.objects.labels import LABELS
from terrain.objects.records import HULL
from terrain.objects.shape_kinds import SHAPE_KINDS
from terrain.soil import SOIL
from tests.laws.vehicle_rig import command, drive, ground
from tests.maneuvers.shipped import shipped
from tests.motion.still_packet import still_packet
from vehicles.command import COMMAND
from vehicles.readout import READOUT
from washout.cueing import MotionCueing

DOCS = Path(__file__).parents[2] / "docs"
H = 1e-3


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / f"{page}.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    paths = list(sys.path)
    yield tmp_path_factory.mktemp("plugins")
    sys.path[:] = paths


def plugin(folder: Path, page: str, number: int = 0) -> ModuleType:
    """Return the module of an example of a page."""
    name = f"example_{number}_of_{page}"
    (folder / f"{name}.py").write_text(blocks(page, "python")[number], encoding="utf-8")
    load_plugins([str(folder / f"{name}.py")])
    return sys.modules[name]


def test_the_washout_tilts(folder: Path) -> None:
    plugin(folder, "own_washout")
    motion = MotionCueing(yaml.safe_load(blocks("own_washout", "yaml")[0]), "tilt.yaml", build_platform("small_hexapod"), H)
    motion.procedure.arm()
    while motion.procedure.state != "engaged":
        motion.step(np.array([0.0, 0.0, 9.80665]), np.zeros(3), True, H)
    for _ in range(4000):
        motion.step(np.array([2.0, 1.0, 9.80665]), np.zeros(3), True, H)
    assert motion.records.washout_pose[0]["angles"] == pytest.approx([0.04, -0.08, 0.0], abs=1e-3)
    assert motion.pose[3:] == pytest.approx([0.04, -0.08, 0.0], abs=2e-3)
    motion.washout.close()


def test_the_scanner_measures_and_the_driver_stops(folder: Path) -> None:
    """The examples of the page: the car stops in front of a box, and its sensor measures the distance."""
    plugin(folder, "own_sensor")
    (folder / "careful.py").write_text(blocks("own_sensor", "python")[1], encoding="utf-8")
    load_plugins([str(folder / "careful.py")])
    careful = new_driver(DRIVER_KINDS.need("careful"), DriverContext(build_ground("flat")), paced=False)
    sim = Simulation("sedan", "flat", driver=careful, sensors=[{"type": "scanner", "mount": {"position": [2.0, 0.0, 0.3]}}])
    sim.add_object({"shape": "box", "name": "wall", "size": [1.0, 4.0, 2.0], "position": [50.0, 0.0, 1.0], "label": "building"})
    sim.advance(12.0)
    assert not sim.collisions
    assert abs(sim["v_WB_B_x"]) < 0.1
    seen = sim.sensors["scanner"]
    x = float(sim["p_WB_x"])
    assert 30.0 < x < 48.0
    assert seen["nearest"] == pytest.approx(49.5 - x - 2.0, abs=0.1)
    middle = seen["points"][45]
    assert middle["label"] == LABELS["building"]
    assert np.isinf(seen["points"]["range"][0]) and np.isnan(seen["points"]["x"][0])


def test_the_protocol_packs(folder: Path) -> None:
    layout = plugin(folder, "own_protocol").LAYOUT
    protocol = PROTOCOL_KINDS.need("rig1")
    encode = encoder_of(protocol, {}, "page", NO_ENGINE, 0.01)
    cueing = build_cueing("small_hexapod", "small_hexapod", H)
    packet = still_packet(
        sequence=7, state=0, interval=0.01, time=1.0, force=[0.0] * 3, rates=[0.0] * 3, pose=cueing.pose.tolist(), legs=cueing.legs.tolist()
    )
    name, number, *pose = struct.unpack(layout, encode(Said(packet, record(READOUT), np.zeros(4))))
    assert (name, number) == (b"RIG1", 7)
    assert pose[2] == pytest.approx(1000.0 * cueing.platform[0]["park_height"])


def test_the_outlet_notes_the_top_speed(folder: Path, tmp_path: Path) -> None:
    plugin(folder, "own_outlet")
    outlet = build_outlets(["top_speed"], "page", tmp_path, H)[0]

    class Drive:
        """Part of a session that the outlet uses."""

        clock, time, readout, command, measurements = None, 0.0, record(READOUT), record(COMMAND), MappingProxyType({})
        measuring = SimpleNamespace(sensors=())
        cueing = build_cueing("small_hexapod", "small_hexapod", H)
        platform_state = "engaged"

    for speed in (3.0, 20.0, 10.0):
        Drive.readout[0]["v_WB_B"][0] = speed
        outlet.publish(Drive())  # type: ignore[arg-type]
    outlet.close()
    assert (tmp_path / "top_speed.txt").read_text() == "72.0 km/h\n"


def test_the_log_becomes_a_markdown_table(folder: Path, tmp_path: Path) -> None:
    plugin(folder, "own_outlet", 1)
    readout = record(READOUT)
    with TelemetryWriter(tmp_path, [("", READOUT, readout)], 1) as log:
        for n in range(3):
            readout[0]["time"], readout[0]["v_WB_B"][0] = 0.01 * n, 5.0 + n
            log.publish()
    for outlet in build_outlets(["markdown_log", "csv"], "page", tmp_path, H):
        outlet.close()
    lines = (tmp_path / "telemetry.md").read_text().splitlines()
    assert lines == ["time [s]|v_WB_B_x [m/s]", "-|-", "0.000|5.000", "0.010|6.000", "0.020|7.000"]
    assert len((tmp_path / "telemetry.csv").read_text().splitlines()) == 4


def test_the_horn_hears_collisions_and_pauses(folder: Path, tmp_path: Path) -> None:
    plugin(folder, "own_outlet", 2)
    outlet, session = build_outlets(["horn"], "page", tmp_path, H)[0], SimpleNamespace(clock=None)
    events = (("pause", True), ("collision", {"name": "wall"}), ("end", None))
    for kind, value in events:
        outlet.hear(session, Event(kind, value, Origin.SESSION, 10, 0.01))  # type: ignore[arg-type]
    outlet.close()
    assert (tmp_path / "horn.txt").read_text() == "paused\n0.010 s: wall\n"


def test_the_pedals_are_pressed(folder: Path) -> None:
    plugin(folder, "own_input_source")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    human, out = open_driver("udp_pedals", said={"port": port}), record(COMMAND)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as foot:
        foot.sendto(b'{"steering": 0.0, "throttle": 0.3}', ("127.0.0.1", port))
    k = 0
    while out[0]["throttle"] != 0.3 and not human.troubles():
        human.read(0.01 * k, 0.0, out)
        k += 1
    assert human.troubles() == []
    assert out[0]["selector"] == 1
    human.close()


def test_the_curb_is_at_the_given_position(folder: Path, tmp_path: Path) -> None:
    plugin(folder, "own_terrain")
    (tmp_path / "curb.yaml").write_text(blocks("own_terrain", "yaml")[-1])
    ground = build_ground(str(tmp_path / "curb.yaml"))
    assert (ground.height(19.9, 0.0), ground.height(20.1, 3.0)) == pytest.approx((0.0, 0.12), abs=1e-6)


def test_patches_and_shapes_are_at_the_given_positions(tmp_path: Path) -> None:
    patches, course, features, rough = blocks("own_terrain", "yaml")[:4]
    for name, text in (("patches", patches), ("course", course), ("features", features), ("rough", rough)):
        (tmp_path / f"{name}.yaml").write_text(text)
    under, ground = record(SOIL), build_ground(str(tmp_path / "patches.yaml"))
    for (x, y), friction in {
        (0.0, 0.0): 0.8,
        (100.0, 2.0): 0.25,
        (60.0, -3.0): 0.1,
        (0.0, -7.0): 0.4,
        (401.0, -5.0): 0.1,
        (403.0, -5.0): 0.8,
    }.items():
        soil_under(ground.p, ground.hardness, ground.soil_ids, ground.soils, x, y, under)
        assert under[0]["friction"] == pytest.approx(friction), (x, y)
    ground = build_ground(str(tmp_path / "course.yaml"))
    assert (ground.height(20.0, 0.0), ground.height(40.0, 0.0)) == pytest.approx((0.15, 0.1), abs=1e-4)
    ground = build_ground(str(tmp_path / "features.yaml"))
    points = ((20.0, 0.0), (30.0, 0.9), (50.0, 4.0), (50.0, 2.9), (60.0, 0.0), (120.0, 0.0))
    assert [ground.height(*point) for point in points] == pytest.approx([0.1, 0.2, 0.12, 0.0, -0.3, 0.1], abs=1e-6)
    (wall,) = ground.objects.records  # too high for a wheel
    assert (wall["p_WO"][1], wall["high"][2]) == pytest.approx((-6.0, 1.0), abs=1e-6)
    assert build_ground(str(tmp_path / "rough.yaml")).height(3.0, 4.0) == build_ground("flat_gravel").height(3.0, 4.0) != 0.0


@pytest.mark.parametrize(("page", "parameters"), [("own_protocol", {"gain": 0.5}), ("own_input_source", {"port": 5300})])
def test_the_session_of_a_page_gives_parameters(folder: Path, page: str, parameters: dict[str, float]) -> None:
    plugin(folder, page)
    session = folder / f"{page}.yaml"
    session.write_text(blocks(page, "yaml")[0])
    options = read_session(configuration(str(session)))
    assert parameters in (options.driver.parameters, options.motion.protocol.parameters)


def test_maneuvers_series_and_searches_of_the_page_are_good(tmp_path: Path) -> None:
    texts = {yaml.safe_load(text)["name"]: text for text in blocks("own_maneuver", "yaml")}
    assert list(texts) == ["swerve", "slalom", "steps", "swerve_limit"]
    for name, text in texts.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    swerve = build_maneuver(str(tmp_path / "swerve.yaml"))
    assert swerve.phase_names == ("go", "brake", "swerve", "stop") and swerve.title == "Swerve of 60 deg while braking from 60 km/h"
    assert build_maneuver(str(tmp_path / "slalom.yaml")).path is not None
    assert load_series(tmp_path / "steps.yaml").maneuvers == ["slowly_increasing_steer", "iso_7401_step"]
    assert load_series(tmp_path / "swerve_limit.yaml").maneuvers == ["swerve"]


def test_the_plot_is_drawn_and_on_the_page(folder: Path, tmp_path: Path) -> None:
    plugin(folder, "own_plots")
    mapping = shipped("scripted_drive") | {"plots": ["speed", "g_over_speed"], "metrics": [], "limits": {}}
    maneuver = load_maneuver(mapping, "mine.yaml")
    t = np.linspace(0.0, 10.0, 1001)
    columns = dict.fromkeys(needed(("FL", "FR", "RL", "RR")), 0.0 * t) | {"time": t, "v_WB_B_x": 2.0 * t, "a_WG_B_y": 0.4 * t}
    report = write_report(tmp_path, maneuver, columns, evaluate(maneuver, columns), info=RunInfo())
    assert report.left_out == [] and (tmp_path / "plot_g_over_speed.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "lateral acceleration [g]" in page and 'data-curve="0.5 g"' in page and "Lateral acceleration over speed" in page
    standing = write_report(tmp_path, maneuver, columns | {"v_WB_B_x": 0.0 * t}, evaluate(maneuver, columns))
    assert standing.left_out == ["g_over_speed: the vehicle is at rest"]


def test_the_page_of_maneuvers_has_all_words() -> None:
    text = (DOCS / "own_maneuver.md").read_text(encoding="utf-8")
    for word in (*QUANTITIES, *profile_tables("rad"), *filter(PLOT_KINDS.is_builtin, PLOT_KINDS.names())):
        assert f"`{word}`" in text, word


@pytest.mark.parametrize(
    "page",
    [
        "own_washout", "own_sensor", "own_protocol", "own_outlet", "own_input_source", "own_terrain", "own_plots", "own_steering",
        "own_drivetrain", "own_objects", "own_shape",
    ],
)  # fmt: skip
def test_every_page_has_one_example_and_names_its_entry_point(page: str) -> None:
    several = {
        "own_sensor": 2,
        "own_outlet": 3,
    }  # a sensor and a driver that uses it; an outlet that publishes, a log format, one that hears
    assert len(blocks(page, "python")) == several.get(page, 1)
    groups = "plots|washout_algorithms|sensors|protocols|outlets|input_sources|terrains|terrain_types|terrain_objects|shapes|steering|drivetrain_kinds"
    assert re.search(rf"`jounce\.({groups})`", (DOCS / f"{page}.md").read_text(encoding="utf-8"))


def test_the_slalom_has_its_posts(folder: Path) -> None:
    module = plugin(folder, "own_objects")
    content = yaml.safe_load(blocks("own_objects", "yaml")[0])
    found = load_terrain(content, "slalom.yaml", Path(), {}).objects
    assert [one.position for one in found.objects] == [(18.0 * (n + 1), 2.0 * (-1) ** n, 0.0) for n in range(8)]
    assert check_plugin(OBJECT_GENERATOR_KINDS.need("slalom"))
    assert module.SLALOM[0].name == "gates"


def test_the_cone_stands_and_falls_as_a_cone(folder: Path) -> None:
    plugin(folder, "own_shape")
    objects = load_terrain(yaml.safe_load(blocks("own_shape", "yaml")[0]), "cones.yaml", Path(), {}).objects
    assert [one.name for one in objects.objects] == [f"cone_{n}" for n in range(1, 9)]
    assert objects.records["p_WO"][:, 2] == pytest.approx(0.0)
    assert [one.code for one in {type(one.shape) for one in objects.objects}] == [HULL]
    k, r, h = 0.2, 0.18, 0.75  # a frustum of 24 sides; center of mass and radius of gyration of the round one
    assert objects.bodies[0]["com_O"][2] == pytest.approx(h / 4.0 * (1 + 2 * k + 3 * k**2) / (1 + k + k**2), rel=1e-9)
    assert objects.bodies[0]["inertia"][2] == pytest.approx(0.3 * 3.0 * r**2 * (1 - k**5) / (1 - k**3), rel=0.03)
    assert check_plugin(SHAPE_KINDS.need("traffic_cone"))


def test_the_hub_motors_drive(folder: Path) -> None:
    plugin(folder, "own_drivetrain")
    for name, text in zip(("hub_drive", "hub_hmmwv"), blocks("own_drivetrain", "yaml"), strict=True):
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    car = build_vehicle(str(folder / "hub_hmmwv.yaml"), check_step=False)
    car.reset(ground("flat"), speed=5.0)
    assert 0.0 < car.start_throttle < 0.2
    assert car.speed == pytest.approx(5.0)
    drive(car, "flat", command(selector=1, throttle=1.0), 2.0)
    (state,) = [one for prefix, _, one in car.logged if prefix == "hub_motors_"]
    spin = car.space.state[0]["wheel_spin"]
    curve = yaml.safe_load(blocks("own_drivetrain", "yaml")[0])["drivetrain"]
    limit = np.interp(spin, np.array(curve["speed_rpm"]) * math.pi / 30.0, curve["torque"])
    np.testing.assert_allclose(state[0]["torque"], limit, rtol=0.01)
    np.testing.assert_allclose(car.space.axles[0]["hub_torque"], -state[0]["torque"])
    assert 7.0 < car.speed < 10.0
    assert car.read()[0]["engine_speed"] == pytest.approx(spin.max(), abs=0.1)
    assert not car.troubles


def test_the_speed_is_limited(folder: Path) -> None:
    plugin(folder, "own_controller")
    said = [{"type": "speed_limiter", "wheel_radius": 0.46, "speed": 6.0}]
    (folder / "limited.yaml").write_text(yaml.safe_dump({"base": "hmmwv", "name": "limited", "controllers": said}), encoding="utf-8")
    car = build_vehicle(str(folder / "limited.yaml"), check_step=False)
    car.reset(ground("flat"), speed=4.0)
    drive(car, "flat", command(selector=1, throttle=1.0), 8.0)
    assert 5.0 < car.speed < 6.1
    (state,) = [one for _, _, one in car.logged if "fastest" in one.dtype.names]
    assert state[0]["fastest"] == pytest.approx(car.speed, abs=0.2)
