"""Ruts of complete drives: the second axle rolls in the ruts of the first, a run saves them, another run starts with them, reproducibly."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import yaml

from simulator import Simulation
from simulator.base.errors import ConfigError
from simulator.builder.builder import build
from simulator.cli.main import main
from simulator.configuration.configuration import configuration
from terrain.rut_grid import UNIT, read_ruts
from terrain.rut_memory import SoilMemory

SOIL = "flat_soil"


@pytest.fixture(scope="module")
def driven():
    """A vehicle that has driven some meters straight on over soil, and how."""
    sim = Simulation("hmmwv", SOIL, channels=("p_WB", "v_WB_B"))
    sim.command(throttle=0.5)
    sim.advance(3.0)
    return sim


def test_the_second_axle_finds_the_rut_of_the_first(driven):
    rut, sinkage = driven.vehicle.space.contacts["rut"], driven.vehicle.space.tires["sinkage"]
    assert (rut[:2] == 0.0).all()
    assert rut[2:] == pytest.approx(sinkage[:2], rel=0.1) and sinkage.min() > 0.02
    x, y, _ = driven.vehicle.space.contacts[2]["p_WC"]
    assert driven.session.soil.depth(x - 0.4, y) == pytest.approx(sinkage[2], abs=2e-3)


def test_trial_drives_leave_no_ruts(driven):
    """Equilibrium, start and whatever else takes the ground itself: it is shared, and remembers nothing."""
    assert not SoilMemory(0).remembers and len(driven.ground.arrays.ruts.depths) == 0
    again = Simulation("hmmwv", SOIL)
    assert again.session.soil.is_virgin
    again.vehicle.reset(again.ground, 3.0, 1.0, 0.4, speed=5.0)
    assert again.session.soil.is_virgin and not driven.session.soil.is_virgin


def test_a_reset_keeps_the_ruts_and_a_new_simulation_has_none(driven):
    session, before = driven.session, [part.copy() for part in driven.session.soil.tiles()]
    session.reset()
    for one, other in zip(session.soil.tiles(), before, strict=True):
        assert one.tobytes() == other.tobytes()
    session.advance(10)
    assert (driven.vehicle.space.contacts["rut"] > 0.01).all(), "it stands in its own ruts"


def test_the_same_drive_gives_the_same_ruts_whatever_the_strides(driven):
    ways = []
    for stride in (1, 10):
        sim = Simulation("hmmwv", SOIL)
        sim.command(throttle=0.8, steering=0.3)
        for _ in range(1200 // stride):
            sim.session.advance(stride)
        ways.append((*sim.session.soil.tiles(), sim.vehicle.space.state))
    for one, other in zip(*ways, strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Folder of a run over soil, and of one more that begins in its ruts."""
    folder = tmp_path_factory.mktemp("ruts")
    maneuver = {
        "name": "off", "title": "straight on over soil", "vehicle": "hmmwv", "terrain": SOIL, "duration_s": 2.0,
        "start": {"speed_kph": 15.0}, "phases": [{"name": "on", "throttle": 0.4, "steering_deg": 0.0, "lasts_s": 2.0}],
    }  # fmt: skip
    (folder / "off.yaml").write_text(yaml.safe_dump(maneuver))
    assert main(["run", str(folder / "off.yaml"), "--out", str(folder / "first"), "--plots", "none"]) == 0
    ruts = f"--set=ruts={folder / 'first'}"
    assert main(["run", str(folder / "off.yaml"), "--out", str(folder / "second"), "--plots", "none", ruts]) == 0
    return folder


def test_a_run_leaves_its_ruts_and_info_tells(run, capsys):
    places, depths = read_ruts(run / "first" / "ruts.npz", SOIL)
    assert len(places) > 20 and 0.02 < UNIT * depths.max() < 0.3
    assert main(["info", str(run / "first")]) == 0
    said = re.search(r"ruts +([\d.]+) m2, at most ([\d.]+) m deep", capsys.readouterr().out)
    assert said and float(said[1]) == pytest.approx(np.count_nonzero(depths) * 0.0025, abs=0.06)
    assert main(["info", str(run / "first"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["logs"][0]["ruts"]["deepest_m"] == pytest.approx(UNIT * depths.max())


def test_another_run_begins_in_them(run):
    before, after = (read_ruts(run / name / "ruts.npz") for name in ("first", "second"))
    later = {tuple(place): depth for place, depth in zip(*after, strict=True)}
    assert all((later[tuple(place)] >= depth).all() for place, depth in zip(*before, strict=True))
    assert len(before[0]) <= len(later) < 1.3 * len(before[0]), "the same way, and a little farther: a wheel in a rut rolls for less"


def test_both_are_the_same_bits_again(run, capsys):
    for name in ("first", "second"):
        assert main(["rerun", str(run / name), "--out", str(run / f"{name}_again")]) == 0
        assert (run / f"{name}_again" / "ruts.npz").read_bytes() == (run / name / "ruts.npz").read_bytes()
    capsys.readouterr()


def test_what_are_no_ruts_of_this_terrain_is_refused(run, tmp_path):
    with pytest.raises(ConfigError, match=r"'ruts'\]: .*expected the folder of a run on soil.*; got .*nowhere"):
        Simulation("hmmwv", SOIL, changes={"ruts": str(tmp_path / "nowhere")})
    with pytest.raises(ConfigError, match=r"ruts\.npz: terrain: .*expected jacksboro.*; got 'flat_soil'"):
        Simulation("hmmwv", "jacksboro", changes={"ruts": str(run / "first")})
    (tmp_path / "ruts.npz").write_bytes(b"PK nothing")
    with pytest.raises(ConfigError, match="a rut file of a run"):
        Simulation("hmmwv", SOIL, changes={"ruts": str(tmp_path)})


def test_ruts_on_a_terrain_without_soil_are_refused_by_their_key(tmp_path):
    """Before anything else of the file is read."""
    (tmp_path / "ruts.npz").write_bytes(b"PK nothing")
    (tmp_path / "session.yaml").write_text(f"terrain: flat\nruts: {tmp_path / 'ruts.npz'}\n")
    with pytest.raises(ConfigError, match=r"session\.yaml:2: ruts: .*expected no ruts, because this terrain has no soil"):
        build(configuration(str(tmp_path / "session.yaml")), check_step=False)
