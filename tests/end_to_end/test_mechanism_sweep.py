"""Does `jounce mechanism --sweep` follow closed forms through singular positions, and `--run` published motions?"""

import csv
import json
import math

import numpy as np
import pytest
import yaml
from program import ROOT, call, refused

from simulator.base.rotations import quaternion_of_rotation, rotation_of_euler
from tests.oracles import known_mechanisms as known

MECHANISMS = ROOT / "configs" / "mechanisms"
DATA = ROOT / "tests" / "data" / "mechanisms"
FOUR_BAR, SLIDER_CRANK = MECHANISMS / "four_bar.yaml", MECHANISMS / "slider_crank.yaml"
LENGTH = {"a": 1.0, "b": 0.6, "c": 0.5, "d": 0.45}
"""Ground, crank, coupler, rocker of a four-bar without a link that turns all the way: 0.45 + 1.0 > 0.6 + 0.5."""
CHANGE_POINT = {"a": 1.0, "b": 0.4, "c": 0.9, "d": 0.5}
"""The same with the shortest and the longest as long as the others together: all links can lie in line."""


def moved(capsys, file, *arguments):
    """The object that the command prints."""
    code, out, err = call(capsys, "mechanism", file, *arguments, "--json")
    assert (code, [line for line in err.splitlines() if "compiling" not in line]) == (0, [])
    return json.loads(out)


def four_bar(folder, a, b, c, d, theta):
    """A file of a four-bar with its rocker's hinge at the origin and its crank's at (a, 0), drawn at the crank angle theta from +x."""
    tip = np.array([a + b * math.cos(theta), b * math.sin(theta), 0.0])
    diagonal = np.linalg.norm(tip)
    lift = math.acos((diagonal**2 + d**2 - c**2) / (2.0 * d * diagonal)) + math.atan2(tip[1], tip[0])
    joint, ground = [d * math.cos(lift), d * math.sin(lift), 0.0], [a, 0.0, 0.0]
    links = {"crank": (ground, tip.tolist()), "coupler": (tip.tolist(), joint), "rocker": ([0.0, 0.0, 0.0], joint)}
    hinges = {"crank": ("world", "crank", ground), "coupler": ("crank", "coupler", tip.tolist()), "rocker": ("world", "rocker", [0, 0, 0])}
    mapping = {
        "name": "four-bar",
        "gravity": [0, -9.81, 0],
        "bodies": {name: {"mass": 1, "rod": [list(ends[0]), list(ends[1])]} for name, ends in links.items()},
        "joints": {
            name: {"type": "revolute", "parent": parent, "child": child, "point": point, "axis": [0, 0, 1]}
            for name, (parent, child, point) in hinges.items()
        },
        "loops": {"knee": {"type": "ball", "predecessor": "coupler", "successor": "rocker", "point": joint}},
    }
    file = folder / "four_bar.yaml"
    file.write_text(yaml.safe_dump(mapping, sort_keys=False))
    return file


# Positions and ratios ----------------------------------------------------------------------------------------------------------


def test_four_bar_follows_its_closed_form_all_around(capsys):
    """Joint angles, their rates per rate of the crank; the sweep passes the drawn position in the middle."""
    swept = moved(capsys, FOUR_BAR, "--sweep", "crank on ground=-170:190deg:37")
    assert swept["range"] == [None, None] and not swept["crossings"]
    assert swept["values"] == pytest.approx(np.radians(np.linspace(-170, 190, 37)), abs=1e-14)
    third_0, fourth_0 = (angle[0] for angle in known.four_bar_angles(0.5 * math.pi))
    for k, s in enumerate(swept["values"]):
        third, fourth = known.four_bar_angles(0.5 * math.pi + s)
        coupler = (third[0] - 0.5 * math.pi - s) - (third_0 - 0.5 * math.pi)
        assert swept["positions"]["rocker on ground"][k] == pytest.approx(fourth[0] - fourth_0, abs=1e-12)
        assert math.remainder(swept["positions"]["coupler on crank"][k] - coupler, math.tau) == pytest.approx(0.0, abs=1e-12)
        assert swept["ratios"]["rocker on ground"][k] == pytest.approx(fourth[1], abs=1e-12)
        assert swept["ratios"]["coupler on crank"][k] == pytest.approx(third[1] - 1.0, abs=1e-12)
    assert max(swept["closure"]) < 1e-13


def test_five_link_suspension_follows_its_reference_curves(capsys):
    curves = np.loadtxt(DATA / "five_link_curves.csv", delimiter=",")
    swept = moved(capsys, MECHANISMS / "five_link.yaml", "--sweep", "carrier.z=-0.1:0.1:201")
    assert swept["held"] == []
    by_height = {round(s, 6): k for k, s in enumerate(swept["values"])}
    for row in curves:
        k, R, q = by_height[round(row[0], 6)], np.zeros((3, 3)), np.zeros(4)
        rotation_of_euler(row[5], row[4], row[3], R)
        quaternion_of_rotation(R, q)
        found = [swept["positions"][f"carrier.{name}"][k] for name in ("x", "y", "qw", "qx", "qy", "qz")]
        assert found[:2] == pytest.approx(row[1:3], abs=1e-11)
        assert np.sign(found[2]) * np.array(found[2:]) == pytest.approx(np.sign(q[0]) * q, abs=1e-11)


@pytest.mark.parametrize("number", [1, 17, 60])
def test_platform_legs_reach_their_reference_poses(number, capsys):
    """Moved to a reference pose from another pose, the legs match the reference."""
    row = np.loadtxt(DATA / "stewart_inverse_kinematics.csv", delimiter=",", skiprows=1)[number]
    x, y, z, yaw, pitch, roll = row[:6].tolist()
    pose = {"position": [x - 0.2, y, z], "rotation_deg": [math.degrees(a) for a in (roll, pitch, yaw)]}
    swept = moved(
        capsys, MECHANISMS / "stewart.yaml", "--set", f"platform={json.dumps(pose)}", "--sweep", f"platform.x={x - 0.2!r}:{x!r}:3"
    )
    assert set(swept["held"]) == {f"platform.{name}" for name in ("rx", "ry", "rz", "y", "z")}
    for leg in range(6):
        names = (f"base joint {leg + 1}[0]", f"base joint {leg + 1}[1]", f"slider {leg + 1}")
        found = [swept["positions"][name][-1] for name in names]
        assert found == pytest.approx(row[6 + 3 * leg : 9 + 3 * leg], abs=1e-9)


def test_platform_turns_about_a_vertical(capsys):
    """The turn about one axis of a free body is a coordinate while the others are held; the quaternion is that of the turn."""
    swept = moved(capsys, MECHANISMS / "stewart.yaml", "--sweep", "platform.rz=0:60deg:4")
    for s, w, z in zip(swept["values"], swept["positions"]["platform.qw"], swept["positions"]["platform.qz"], strict=True):
        assert (w, z) == pytest.approx((math.cos(0.5 * s), math.sin(0.5 * s)), abs=1e-14)


# Singular positions ------------------------------------------------------------------------------------------------------------


def test_range_of_a_four_bar_without_a_turning_link(tmp_path, capsys):
    """The crank stops where coupler and rocker are in line: cos theta = ((c + d)^2 - a^2 - b^2) / (2 a b)."""
    a, b, c, d = LENGTH.values()
    inner = 0.75 * math.pi
    file = four_bar(tmp_path, a, b, c, d, inner)
    limit = math.acos(((c + d) ** 2 - a * a - b * b) / (2.0 * a * b))
    swept = moved(capsys, file, "--sweep", "crank=-180:360deg:541")
    assert swept["range"] == pytest.approx([limit - inner, math.tau - limit - inner], abs=1e-12)
    assert [end["loops"] for end in swept["dead_points"]] == [["knee"], ["knee"]]
    assert swept["positions_reached"] == sum(limit < inner + math.radians(s) < math.tau - limit for s in range(-180, 361))
    assert min(swept["smallest_singular_value"]) > 0.0


def test_slider_crank_driven_by_its_slider_stops_at_both_dead_centers(capsys):
    """The file starts in one of them."""
    r = known.SLIDER_CRANK["r"]
    swept = moved(capsys, SLIDER_CRANK, "--sweep", "cylinder=-0.2:0.1:31")
    assert swept["range"] == pytest.approx([-2.0 * r, 0.0], abs=1e-12)
    for crank, travel in zip(swept["positions"]["main bearing"], swept["positions"]["cylinder"], strict=True):
        _, slider = known.slider_crank_position(crank)
        assert slider[0] - 0.2 == pytest.approx(travel, abs=1e-12)


def test_positions_right_beside_a_dead_point(capsys):
    """1e-9 m off it, the crank is some 1e-4 rad off; Newton's method for a given slider fails there."""
    swept = moved(capsys, SLIDER_CRANK, "--sweep", "cylinder=-0.099999999:-1e-9:2")
    assert swept["positions_reached"] == 2
    for crank, travel in zip(swept["positions"]["main bearing"], (-0.099999999, -1e-9), strict=True):
        _, slider = known.slider_crank_position(crank)
        assert slider[0] - 0.2 == pytest.approx(travel, abs=1e-15)
        assert 1e-4 < abs(math.sin(crank)) < 1e-3


def test_joints_without_loops_are_swept_too(tmp_path, capsys):
    """A turn of a spherical joint; nothing else moves."""
    file = tmp_path / "pendulum.yaml"
    bodies = {"bar": {"mass": 1, "com": [0, 0, -1]}, "bob": {"mass": 1, "com": [1, 0, -1]}}
    hinge = {"type": "revolute", "parent": "world", "child": "bar", "point": [0, 0, 0], "axis": [0, 1, 0]}
    hip = {"type": "spherical", "parent": "bar", "child": "bob", "point": [0, 0, -1]}
    file.write_text(yaml.safe_dump({"name": "pendulum", "bodies": bodies, "joints": {"hinge": hinge, "hip": hip}}))
    assert moved(capsys, file, "--sweep", "hinge=-1:1:5")["positions"]["hinge"] == pytest.approx([-1, -0.5, 0, 0.5, 1], abs=1e-15)
    swept = moved(capsys, file, "--sweep", "hip.ry=-90:90deg:3")
    assert swept["positions"]["hip.qy"] == pytest.approx([-math.sqrt(0.5), 0.0, math.sqrt(0.5)], abs=1e-14)
    assert swept["positions"]["hinge"] == [0.0] * 3


def test_links_of_a_change_point_four_bar_in_line(tmp_path, capsys):
    """All in line at theta = 0. The motion goes straight on, smoothly: the rocker's angle changes sign there."""
    start = 0.5 * math.pi
    file = four_bar(tmp_path, *CHANGE_POINT.values(), start)
    swept = moved(capsys, file, "--sweep", "crank=-120:60deg:181")
    (place,) = swept["crossings"]
    assert place["at"] == pytest.approx(-start, abs=1e-9)
    assert place["loops"] == ["knee"]
    assert swept["dead_points"] == []
    at = int(np.argmin(swept["smallest_singular_value"]))
    assert swept["values"][at] == pytest.approx(-start, abs=1e-12)
    assert swept["smallest_singular_value"][at] < 1e-9
    # drawn with the rocker above; in line its angle is that of the ground
    a, b, c, d = CHANGE_POINT.values()
    lift = math.acos((a * a + b * b + d * d - c * c) / (2.0 * d * math.hypot(a, b))) + math.atan2(b, a)
    assert swept["positions"]["rocker"][at] == pytest.approx(-lift, abs=1e-9)
    slope = np.diff(swept["positions"]["rocker"])
    assert np.abs(np.diff(slope)).max() < 2e-3
    assert max(swept["closure"]) < 1e-12


@pytest.mark.parametrize("excess", [1e-3, 1e-5, 1e-8])
def test_links_that_miss_being_in_line_stop_short(excess, tmp_path, capsys):
    """The same with a ground that is too long by a little: no branches cross, though they come near, and the crank stops before."""
    start, (a, b, c, d) = 0.5 * math.pi, CHANGE_POINT.values()
    a += excess
    limit = math.acos(((c + d) ** 2 - a * a - b * b) / (2.0 * a * b))
    swept = moved(capsys, four_bar(tmp_path, a, b, c, d, start), "--sweep", "crank=-120:60deg:61")
    assert swept["range"] == [pytest.approx(limit - start, abs=1e-9), None]
    assert swept["crossings"] == []


def test_prescribed_coordinates_are_swept_and_run(tmp_path, capsys):
    """A crank that turns evenly takes the rocker along as in the sweep."""
    mapping = yaml.safe_load(FOUR_BAR.read_text())
    mapping["joints"]["crank on ground"]["prescribed"] = True
    file = tmp_path / "driven.yaml"
    file.write_text(yaml.safe_dump(mapping, sort_keys=False))
    swept = moved(capsys, file, "--sweep", "crank on ground=0:0.6:2")
    run = moved(capsys, file, "--run", "0.3", "--step", "0.005")
    assert run["state"]["crank on ground"]["position"] == pytest.approx([0.6], abs=1e-12)
    assert run["state"]["rocker on ground"]["position"] == pytest.approx(swept["positions"]["rocker on ground"][-1:], abs=1e-12)
    assert run["state"]["rocker on ground"]["rate"] == pytest.approx([2.0 * swept["ratios"]["rocker on ground"][-1]], abs=1e-12)


def test_two_four_bars_lie_flat_twice(capsys):
    """Both windows at once: a double zero, which changes no sign; on the way all cranks turn alike."""
    swept = moved(capsys, MECHANISMS / "n_four_bar.yaml", "--sweep", "A0=-180:180deg:61")
    assert [place["at"] for place in swept["crossings"]] == pytest.approx([-0.5 * math.pi, 0.5 * math.pi], abs=1e-9)
    assert all(set(place["loops"]) == {"A1", "A2"} for place in swept["crossings"])
    assert swept["positions"]["B2"] == pytest.approx(swept["values"], abs=1e-11)
    assert swept["ratios"]["B2"] == pytest.approx([1.0] * 61, abs=1e-9)


def test_bricard_ends_where_its_closed_form_does(capsys):
    """cos phi + cos psi + cos phi cos psi = 0 with both a quarter turn in the drawing: so cos phi >= -1/2."""
    swept = moved(capsys, MECHANISMS / "bricard.yaml", "--sweep", "hinge 1=-90:90deg:19")
    assert swept["range"] == [pytest.approx(-math.pi / 6.0, abs=1e-12), None]
    for first, second in zip(swept["positions"]["hinge 1"], swept["positions"]["hinge 2"], strict=True):
        phi, psi = math.cos(0.5 * math.pi - first), math.cos(0.5 * math.pi - second)
        assert phi + psi + phi * psi == pytest.approx(0.0, abs=1e-12)


# Runs --------------------------------------------------------------------------------------------------------------------------


def test_andrews_squeezer_ends_where_it_is_published(tmp_path, capsys):
    table = tmp_path / "run.csv"
    run = moved(capsys, MECHANISMS / "andrews_squeezer.yaml", "--run", "0.03", "--step", "2e-5", "--csv", table)
    for i, name in enumerate(("beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon")):
        assert run["state"][name]["position"] == pytest.approx([known.ANDREWS_END[i]], abs=2e-6), name
        assert run["state"][name]["rate"] == pytest.approx([known.ANDREWS_END_RATES[i]], abs=2e-3), name
    assert run["drift"]["position"] < 1e-12
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 1501
    assert float(rows[-1]["time [s]"]) == pytest.approx(0.03)
    assert [float(rows[-1]["beta [rad]"])] == run["state"]["beta"]["position"]
    assert [float(rows[-1]["rate of beta [rad/s]"])] == run["state"]["beta"]["rate"]
    # the motor's torque is what the energy comes from
    turned = float(rows[-1]["beta [rad]"]) - float(rows[0]["beta [rad]"])
    assert run["energy"]["end"] - run["energy"]["start"] == pytest.approx(known.ANDREWS["torque"] * turned, rel=1e-6)


@pytest.mark.parametrize(
    ("options", "drift"),
    [
        (("--formulation", "ta", "--stabilization", "none"), 1e-5),
        (("--formulation", "ta", "--stabilization", "baumgarte"), 1e-5),
        (("--formulation", "recursive"), 1e-11),
        (("--stabilization", "partitioning"), 1e-11),
        (("--integrator", "semi-implicit"), 1e-11),
    ],
)
def test_ways_to_run(options, drift, capsys):
    run = moved(capsys, FOUR_BAR, "--run", "0.5", "--step", "0.004", *options)
    assert run["steps"] == 125
    assert run["energy"]["largest_change"] < (0.3 if "semi-implicit" in options else 1e-4)
    assert run["drift"]["position"] < drift
    if options[-1] == "none":
        assert run["drift"]["position"] > 1e-9


def stiff(folder):
    """A bar on a spring much too stiff for steps of 1 ms: explicit steps blow it up within some fifty of them."""
    file = folder / "stiff.yaml"
    hinge = {"type": "revolute", "parent": "world", "child": "bar", "point": [0, 0, 0], "axis": [0, 1, 0]}
    bodies, springs = {"bar": {"mass": 1, "rod": [[0, 0, 0], [1, 0, 0]]}}, {"h": {"rate": 1e9, "damping": 100}}
    file.write_text(
        yaml.safe_dump({"name": "stiff", "bodies": bodies, "joints": {"h": hinge}, "joint_springs": springs, "state": {"h": 0.1}})
    )
    return file


@pytest.mark.parametrize("formulation", ["ce", "ta", "fa"])
def test_a_run_that_is_lost_says_when_and_keeps_what_there_is(tmp_path, capsys, formulation):
    table, curves, sheet = (tmp_path / name for name in ("run.csv", "run.png", "sheet.png"))
    options = ("--run", 2, "--formulation", formulation, "--csv", table, "--plot", curves, "--animate", sheet)
    code, out, err = call(capsys, "mechanism", stiff(tmp_path), *options)
    assert code == 1 and len(err.splitlines()) == 1 and err.startswith("jounce: ")
    rows = list(csv.reader(table.open()))
    last = float(rows[-1][0])
    assert 0.0 < last < 0.5 and len(rows) == 2 + round(last / 1e-3)
    assert f"the run ends at {last:.9g} s of 2 s" in err and "finite" in err
    assert f"{last:.9g} s in {len(rows) - 2} steps" in out
    assert all(math.isfinite(float(row[1])) for row in rows[1:])
    assert curves.stat().st_size > 5_000 and sheet.stat().st_size > 5_000
    code, out, _ = call(capsys, "mechanism", stiff(tmp_path), "--run", 2, "--formulation", formulation, "--json")
    run = json.loads(out, parse_constant=pytest.fail)
    assert code == 1 and run["failed"]["t"] == run["seconds"] == pytest.approx(last)
    assert "finite" in run["failed"]["reason"]
    assert run["energy"]["largest_change"] is None or run["energy"]["largest_change"] > 1e9


def test_a_run_that_cannot_begin(tmp_path, capsys):
    """A thin rod hinged along itself; a drawing of it, one point, is made in no time."""
    file, table = tmp_path / "rod.yaml", tmp_path / "run.csv"
    hinge = {"type": "revolute", "parent": "world", "child": "bar", "point": [0.1, 0.2, 0.3], "axis": [0.6, 0.3, 0.15]}
    file.write_text(
        yaml.safe_dump({"name": "rod", "bodies": {"bar": {"mass": 1, "rod": [[0.1, 0.2, 0.3], [0.7, 0.5, 0.45]]}}, "joints": {"h": hinge}})
    )
    code, _, err = call(
        capsys, "mechanism", file, "--run", 1, "--csv", table, "--animate", tmp_path / "run.png", "--plot", tmp_path / "curves.png"
    )
    assert code == 2 and "the run ends at 0 s of 1 s: joint 'h' moves no inertia" in err
    assert len(table.read_text().splitlines()) == 2


@pytest.mark.parametrize("formulation", ["ta", "fa", "fa-dense"])
def test_a_massless_coupler_runs_as_embedded(tmp_path, capsys, formulation):
    mapping = yaml.safe_load(FOUR_BAR.read_text())
    mapping["bodies"]["coupler"] = {"mass": 0}
    file = tmp_path / "massless.yaml"
    file.write_text(yaml.safe_dump(mapping, sort_keys=False))
    run, embedded = (moved(capsys, file, "--run", 0.2, "--step", 0.002, "--formulation", name) for name in (formulation, "ce"))
    for name, joint in embedded["state"].items():
        assert run["state"][name]["position"] == pytest.approx(joint["position"], abs=1e-8)
    assert run["failed"] is None and run["energy"]["largest_change"] < 1e-6


def test_a_slider_passes_through_the_anchor_of_its_spring(tmp_path, capsys):
    """Free length zero: nothing but an oscillator, as if the spring did not turn over there."""
    file = tmp_path / "rail.yaml"
    rail = {"type": "prismatic", "parent": "world", "child": "slider", "axis": [1, 0, 0]}
    spring = {"from": {"body": "world", "point": [0, 0, 0]}, "to": {"body": "slider", "point": [0, 0, 0]}, "rate": 100, "free_length": 0}
    mapping = {"name": "rail", "gravity": [0, 0, 0], "bodies": {"slider": {"mass": 1, "com": [0, 0, 0]}}, "joints": {"rail": rail}}
    file.write_text(yaml.safe_dump({**mapping, "springs": {"s": spring}, "state": {"rail": [0, 1]}}))
    run = moved(capsys, file, "--run", 2, "--step", 0.002)
    assert run["state"]["rail"]["position"] == pytest.approx([0.1 * math.sin(20.0)], abs=1e-8)
    assert run["energy"]["largest_change"] < 1e-6


# Files -------------------------------------------------------------------------------------------------------------------------


def test_table_of_a_sweep_has_units(tmp_path, capsys):
    file = tmp_path / "sweep.csv"
    swept = moved(capsys, SLIDER_CRANK, "--sweep", "main bearing=0:90deg:7", "--csv", file)
    with file.open() as stream:
        rows = list(csv.reader(stream))
    assert rows[0][:4] == ["sweep of main bearing [rad]", "main bearing [rad]", "crank pin [rad]", "cylinder [m]"]
    assert "d(cylinder)/d(main bearing) [m/rad]" in rows[0] and "closure [m, rad]" in rows[0]
    assert [float(row[3]) for row in rows[1:]] == swept["positions"]["cylinder"]


def is_drawn(image):
    """Ink of several colors on a bright ground."""
    pixels = np.asarray(image.convert("RGB"))
    dark = (pixels.min(axis=2) < 200).mean()
    assert 0.003 < dark < 0.5
    return len(np.unique(pixels.reshape(-1, 3), axis=0)) > 20


@pytest.mark.parametrize(
    ("name", "sweep"),
    [
        ("four_bar", "rocker on ground=-60:60deg:9"),
        ("slider_crank", "main bearing=0:360deg:9"),
        ("andrews_squeezer", "beta=0:300deg:9"),
        ("stewart", "platform.z=0.8:1.4:5"),
        ("five_link", "carrier.z=-0.08:0.08:5"),
        ("bricard", "hinge 1=-25:60deg:5"),
    ],
)
def test_sheets_and_plots_show_something(name, sweep, tmp_path, capsys):
    from PIL import Image

    sheet, curves = tmp_path / "sheet.png", tmp_path / "curves.png"
    moved(capsys, MECHANISMS / f"{name}.yaml", "--sweep", sweep, "--animate", sheet, "--plot", curves)
    for file in (sheet, curves):
        with Image.open(file) as image:
            assert min(image.size) > 300 and max(image.size) < 1600
            assert is_drawn(image)
    assert sheet.stat().st_size < 100_000


def test_moving_picture_of_a_run(tmp_path, capsys):
    from PIL import Image

    file, curves = tmp_path / "run.gif", tmp_path / "run.png"
    moved(capsys, FOUR_BAR, "--run", "0.3", "--step", "0.05", "--animate", file, "--plot", curves)
    with Image.open(file) as image:
        assert image.n_frames == 7
        first = np.asarray(image.convert("RGB")).copy()
        assert is_drawn(image)
        image.seek(3)
        assert (np.asarray(image.convert("RGB")) != first).any(axis=2).mean() > 0.005
    assert curves.stat().st_size > 10_000


# Refusals ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--sweep", "crank=0:1"), "crank on ground, coupler on crank, rocker on ground"),
        (("--sweep", "crank on ground"), "COORDINATE=FROM:TO"),
        (("--sweep", "crank on ground=0"), "COORDINATE=FROM:TO"),
        (("--sweep", "crank on ground=0:1:2:3"), "COORDINATE=FROM:TO"),
        (("--sweep", "crank on ground=0:far"), "two numbers"),
        (("--sweep", "crank on ground=0deg:1"), "two numbers"),
        (("--sweep", "crank on ground=1:1"), "differ"),
        (("--sweep", "crank on ground=0:inf"), "finite"),
        (("--sweep", "crank on ground=0:1:1"), "an integer from 2"),
        (("--sweep", "crank on ground=0:1:1000000000"), "an integer from 2"),
        (("--sweep", "rocker on ground=2:3"), "dead point"),
        (("--sweep", "crank on ground=0:1", "--run", "1"), "exclude"),
        (("--sweep", "crank on ground=0:1", "--step", "0.1"), "--step needs --run"),
        (("--sweep", "crank on ground=0:1", "--formulation", "ta"), "--formulation needs --run"),
        (("--plot", "x.png"), "--sweep or --run"),
        (("--run", "0"), "--run"),
        (("--run", "nan"), "--run"),
        (("--run", "soon"), "--run"),
        (("--run", "1", "--step", "-1"), "--step"),
        (("--run", "1", "--step", "1e-9"), "--step"),
        (("--run", "1", "--stabilization", "baumgarte"), "multipliers"),
        (("--run", "1", "--stabilization", "prayer"), "--stabilization"),
        (("--run", "1", "--plot", "x.gif"), "'x.gif' does not end in .png"),
        (("--run", "1", "--animate", "x.mp4"), ".gif or .png"),
        (("--run", "1", "--csv", "no/such/folder/x.csv"), "no/such/folder"),
    ],
)
def test_bad_arguments(arguments, words, capsys):
    assert words in refused(call(capsys, "mechanism", FOUR_BAR, *arguments))


def test_a_length_has_no_degrees(capsys):
    assert "values in m" in refused(call(capsys, "mechanism", SLIDER_CRANK, "--sweep", "cylinder=0:1deg"))


def test_one_turn_of_several_is_no_coordinate(capsys):
    assert "about other axes" in refused(call(capsys, "mechanism", MECHANISMS / "five_link.yaml", "--sweep", "carrier.rx=0:1"))


def test_a_start_where_branches_cross_is_refused(capsys):
    line = refused(call(capsys, "mechanism", MECHANISMS / "n_four_bar.yaml", "--set", "A0=1.5707963267948966", "--sweep", "A0=0:3"))
    assert "singular" in line


def test_a_coordinate_that_its_loops_hold_is_refused(tmp_path, capsys):
    """A triangle of three links, two of them hinged to the ground."""
    file = four_bar(tmp_path, *LENGTH.values(), 0.75 * math.pi)
    mapping = yaml.safe_load(file.read_text())
    mapping["couplings"] = {"lock": {"terms": {"crank": 1}}}
    file.write_text(yaml.safe_dump(mapping))
    assert "cannot move" in refused(call(capsys, "mechanism", file, "--sweep", "crank=0:1"))


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path, capsys):
    (tmp_path / "taken.png").mkdir()
    line = refused(call(capsys, "mechanism", FOUR_BAR, "--sweep", "crank on ground=0:1:3", "--plot", tmp_path / "taken.png"))
    assert "taken.png: cannot be written" in line
    assert [path.name for path in tmp_path.iterdir()] == ["taken.png"]
