"""Do generated terrains have the given slopes, roughness and curbs, are they reproducible, and does a car rest on them?"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import ConfigError, OutputError
from simulator.base.records import record
from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import build_ground, build_vehicle
from simulator.cli.main import main
from simulator.tools.terrain.make_command import files_of, generate_terrain, write
from terrain.composite_height import composed_heights
from terrain.features.shapes import CURB
from terrain.generators.erosion import gather, slid, wetness
from terrain.generators.generated_terrain import GeneratedTerrain
from terrain.generators.kinds import GENERATORS
from terrain.generators.proving_ground import INCH
from terrain.ground import Ground
from vehicles.command import COMMAND

SMALL = {
    "proving_ground": [],
    "hills": ["size_m=256", "relief_m=20"],
    "town": ["blocks=[2, 1]"],
    "dunes": ["size_m=192", "mud=0.2"],
    "forest": ["size_m=60"],
    "rocks": ["size_m=40"],
    "circuit": ["size_m=300", "trees=20", "spacing_m=1"],
    "obstacle_field": ["size=[60, 40]"],
}


@pytest.fixture(scope="module")
def generated() -> dict[str, GeneratedTerrain]:
    return {kind: generate_terrain(kind, 3, settings) for kind, settings in SMALL.items()}


@pytest.fixture(scope="module")
def files(generated: dict[str, GeneratedTerrain], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("generated")
    out = {}
    for kind, one in generated.items():
        names = files_of(str(folder / kind))
        write(one, names, f"jounce terrain make {kind}")
        out[kind] = names.yaml
    return out


@pytest.fixture(scope="module")
def grounds(files: dict[str, Path]) -> dict[str, Ground]:
    return {kind: build_ground(str(file)) for kind, file in files.items()}


def heights(ground: Ground, x: Any, y: Any) -> np.ndarray:
    x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    z = np.empty(x.size)
    composed_heights(ground.arrays, np.ascontiguousarray(x.ravel()), np.ascontiguousarray(y.ravel()), z)
    return z.reshape(x.shape)


@pytest.mark.parametrize("kind", GENERATORS)
def test_the_seed_determines_the_terrain(kind: str, generated: dict[str, GeneratedTerrain], files: dict[str, Path], tmp_path: Path) -> None:
    again = files_of(str(tmp_path / kind))
    write(generate_terrain(kind, 3, SMALL[kind]), again, f"jounce terrain make {kind}")
    again = again.written(generated[kind])
    for file in again:
        assert file.read_bytes() == files[kind].with_name(file.name).read_bytes()
    assert sum(file.stat().st_size for file in again) < 10e6
    other = generate_terrain(kind, 4, SMALL[kind])
    first, same_size = generated[kind], other.heights.shape == generated[kind].heights.shape
    moved = [one.position for one in other.objects] != [one.position for one in first.objects]
    assert moved or not same_size or np.abs(other.heights - first.heights).max() > 0.01
    with pytest.raises(OutputError, match="file exists"):
        files_of(str(tmp_path / kind))


@pytest.mark.parametrize("kind", GENERATORS)
def test_the_files_contain_the_generated_terrain(kind: str, generated: dict[str, GeneratedTerrain], grounds: dict[str, Ground]) -> None:
    """At the nodes of the map, to half a count; roads and roughness of hills and dunes are added."""
    one, ground = generated[kind], grounds[kind]
    rows, columns = ground.margin
    inner = ground.heights[rows : len(ground.heights) - rows, columns : ground.heights.shape[1] - columns]
    assert inner.shape == one.heights.shape
    if kind in ("proving_ground", "town", "rocks", "obstacle_field"):
        assert np.abs(inner - one.heights).max() < 5e-4
    hard = np.array([cover.hard for cover in one.covers])[one.cover]
    on_soil = ground.hardness[rows : rows + len(hard), columns : columns + hard.shape[1]] < 0.5
    assert (on_soil == ~hard).mean() > {"hills": 0.97, "forest": 0.85, "circuit": 0.9}.get(kind, 0.9999)


def test_grades_and_side_slopes_are_within_one_percent(grounds: dict[str, Ground]) -> None:
    ground, x = grounds["proving_ground"], np.arange(55.0, 505.0, 0.5)
    up = np.diff(heights(ground, x, 118.0)) / 0.5
    for grade in (0.30, 0.45, 0.60):
        for sign in (1.0, -1.0):
            even = np.abs(sign * up - grade) < 0.01 * grade
            longest = max((len(run) for run in "".join("x" if one else " " for one in even).split()), default=0)
            assert 0.5 * longest >= 12.0, f"a straight of {sign * grade:g} that a car fits on"
    assert np.abs(up).max() < 0.61
    y = np.arange(76.0, 84.5, 0.5)
    for start, slope in zip((85.0, 215.0, 345.0), (0.2, 0.3, 0.4), strict=True):
        across = np.diff(heights(ground, np.linspace(start + 2.0, start + 58.0, 29)[:, None], y), axis=1) / 0.5
        assert np.abs(across - slope).max() < 0.01 * slope


@pytest.mark.parametrize(("number", "inches"), list(enumerate((1.0, 1.5, 2.0, 3.0, 4.0))))
def test_courses_have_their_root_mean_square(grounds: dict[str, Ground], number: int, inches: float) -> None:
    """Also for the C1 surface between nodes, along lines, each detrended separately; over all lines together."""
    x = np.arange(100.0, 250.0, 0.1)
    z = heights(grounds["proving_ground"], x, 8.0 - 11.0 * number + np.linspace(-2.5, 2.5, 11)[:, None])
    base = np.stack((np.ones(len(x)), x - x.mean())).T
    z -= (base @ np.linalg.lstsq(base, z.T, rcond=None)[0]).T
    assert np.sqrt(np.mean(z**2)) == pytest.approx(inches * INCH, rel=0.03)
    assert np.abs(heights(grounds["proving_ground"], 50.0, 8.0 - 11.0 * number)).max() < 1e-9


def test_features_of_the_proving_ground_have_the_given_height(grounds: dict[str, Ground]) -> None:
    ground, x = grounds["proving_ground"], np.arange(55.0, 505.0, 0.02)
    half_rounds = heights(ground, x, 58.0)
    tops = [half_rounds[(x > at - 1.0) & (x < at + 1.0)].max() for at in 90.0 + 70.0 * np.arange(6)]
    np.testing.assert_allclose(tops, INCH * np.array([2, 4, 6, 8, 10, 12]), atol=1e-3)
    steps = heights(ground, 100.0 + 105.0 * np.arange(3), 46.0)
    np.testing.assert_allclose(steps, INCH * np.array([6, 12, 18]), atol=1e-4)
    # no wheel climbs the fourth step
    (too_high,) = (row for one, row in zip(ground.objects.objects, ground.objects.records, strict=True) if one.name.startswith("step"))
    assert too_high["high"][2] == pytest.approx(24 * INCH, abs=1e-4)
    assert too_high["p_WO"][:2] == pytest.approx([415.0, 46.0], abs=2.0)
    ditches = heights(ground, x, 34.0)
    assert ditches.min() == pytest.approx(-0.8, abs=1e-3)
    walls = [row["high"][2] for one, row in zip(ground.objects.objects, ground.objects.records, strict=True) if one.name.startswith("wall")]
    assert walls == pytest.approx([1.1] * len(walls), abs=1e-3)
    assert walls


def test_setts_have_the_given_scatter(grounds: dict[str, Ground]) -> None:
    """Check the heights of stones about their mean, and joints at ground level."""
    z = heights(grounds["proving_ground"], np.arange(92.0, 188.0, 0.01), -49.02)
    assert z.min() < 1e-4
    stones = z[np.isin(np.round(z, 9), np.unique(np.round(z, 9))[np.unique(np.round(z, 9), return_counts=True)[1] > 5])]
    tops = np.unique(np.round(stones[stones > 1e-6], 9))
    assert len(tops) > 400
    assert tops.mean() == pytest.approx(0.03, abs=0.002)
    assert tops.std() == pytest.approx(0.012, rel=0.1)


def test_curbs_are_at_the_edges_of_streets_and_drop_at_crossings(grounds: dict[str, Ground]) -> None:
    """Check heights on both sides of every straight segment of curb; the histogram has two peaks, and the street falls to the curb."""
    ground = grounds["town"]
    rises, lengths, crown = [], [], []
    for k in ground.features.pieces[ground.features.pieces["kind"] == CURB]:
        if k["arc"] != 0.0 or k["length"] < 0.05:
            continue
        s = np.linspace(0.02, 0.98, 50)[:, None] * k["length"] * k["axis"] + k["origin"]
        left = np.array((-k["axis"][1], k["axis"][0]))
        front, behind, middle = (heights(ground, *(s + d * left).T) for d in (-0.011, 0.011, -4.5))
        rises += list(behind - front)
        lengths += [float(k["length"]) / 50.0] * 50
        crown += list(middle - front)
    share = np.histogram(rises, np.arange(0.0025, 0.2, 0.005), weights=lengths)[0] / sum(lengths)
    peaks = np.argsort(share)[-2:]
    assert sorted(np.round(0.005 + 0.005 * peaks, 3)) == pytest.approx([0.015, 0.125])
    assert share.max() > 0.6
    assert np.median(crown) == pytest.approx(0.025 * 4.5, abs=0.012)
    assert np.max(rises) < 0.13


def test_behind_the_sidewalk_the_base_takes_over_without_a_step(grounds: dict[str, Ground]) -> None:
    ground = grounds["town"]
    k = max((k for k in ground.features.pieces if k["arc"] == 0.0 and k["rise"] == 0.0), key=lambda k: float(k["length"]))
    d = np.arange(0.05, 6.0, 0.02)
    middle = k["origin"] + 0.5 * k["length"] * k["axis"]
    z = heights(ground, middle[0] - d * k["axis"][1], middle[1] + d * k["axis"][0])
    assert z[-1] == pytest.approx(0.125 + 0.05, abs=2e-3)
    assert np.abs(np.diff(z)).max() < 0.02 * 0.06
    assert z.min() > 0.124


def test_slip_faces_of_dunes_have_their_angle_of_repose(generated: dict[str, GeneratedTerrain]) -> None:
    one = generated["dunes"]
    slope = np.hypot(*np.gradient(one.heights, one.grid.spacing))
    assert np.quantile(slope, 0.999) < math.tan(math.radians(35.0))
    assert (slope > math.tan(math.radians(27.0))).mean() > 0.005
    mud = one.cover == 2
    assert 0.02 < mud.mean() < 0.35
    assert slope[mud].mean() < 0.3 * slope[~mud].mean()


def test_hills_have_their_relief_and_wet_ground_is_low(generated: dict[str, GeneratedTerrain]) -> None:
    one = generated["hills"]
    assert np.ptp(one.heights) == pytest.approx(20.0)
    clay, sand = (one.cover == k for k in (1, 2))
    assert 0.05 < clay.mean() < 0.15
    assert one.heights[clay].mean() < one.heights[sand].mean()


def test_a_slide_conserves_volume_and_comes_to_rest_at_its_angle() -> None:
    heap = np.zeros((41, 41))
    heap[20, 20] = 60.0
    after = slid(heap, 0.5, 0.6, 4000)
    assert after.sum() == pytest.approx(60.0)
    assert max(np.abs(np.diff(after, axis=k)).max() for k in (0, 1)) / 0.5 < 0.61
    assert after.max() == pytest.approx((60.0 * 0.5**2 * 3.0 * 0.6**2 / math.pi) ** (1.0 / 3.0), rel=0.03)  # of a cone of that volume


def test_water_gathers_in_a_valley() -> None:
    """In a V-shaped valley that falls along x, all water of the slopes ends in the middle, and the flow grows downstream."""
    x, y = np.meshgrid(np.arange(30.0), np.arange(-10.0, 11.0))
    valley = 0.5 * np.abs(y) - 0.1 * x
    area = np.full(valley.shape, 4.0)
    gather(valley, np.argsort(-valley, axis=None, kind="stable"), 2.0, area)
    assert area[10, -1] == 4.0 * valley.size
    assert (np.diff(area[10]) > 0.0).all()
    wet = wetness(valley, 2.0)
    assert wet[10, -1] == wet.max()


@pytest.mark.parametrize(
    ("kind", "setting", "what"),
    [
        ("hills", "size_m=4", "from 128 to 4096"),
        ("hills", "rleief_m=4", "relief"),
        ("town", "spacing_m", "KEY=VALUE"),
        ("dunes", "size_m=2000", "at least"),
        ("proving_ground", "grades_percent=[30, 45]", "3 numbers"),
    ],
)
def test_invalid_settings_are_refused(kind: str, setting: str, what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        generate_terrain(kind, 1, [setting])


def test_a_drive_starts_at_the_named_place(files: dict[str, Path], tmp_path: Path) -> None:
    said = read_yaml(files["town"])
    for name, place in said["places"].items():
        file = files["town"].with_name(f"at_{name}.yaml")
        file.write_text(files["town"].read_text().replace("begin_at: street", f"begin_at: {name}"))
        ground = build_ground(str(file))
        assert ground.spawn == pytest.approx((*place["position"], math.radians(place["yaw_deg"])))
    bad = files["town"].with_name("at_nowhere.yaml")
    bad.write_text(files["town"].read_text().replace("begin_at: street", "begin_at: stret"))
    with pytest.raises(ConfigError, match="street"):
        build_ground(str(bad))


@pytest.fixture(scope="module")
def car() -> Any:
    return build_vehicle("hmmwv")


@pytest.mark.parametrize("kind", GENERATORS)
def test_a_car_rests_at_every_place(kind: str, files: dict[str, Path], grounds: dict[str, Ground], car: Any) -> None:
    ground, braked = grounds[kind], record(COMMAND)
    braked[0]["brake"] = 1.0
    for place in read_yaml(files[kind])["places"].values():
        car.reset(ground.arrays, *place["position"], math.radians(place["yaw_deg"]))
        for _ in range(300):
            car.step(ground, braked, 1e-3)
        state = car.space.state[0]
        assert np.linalg.norm(state["v_WB_B"]) < 0.05
        x, y, z = state["p_WB"]
        assert 0.3 < z - ground.height(float(x), float(y)) < 1.2


def test_the_command_line_offers_every_generator(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["terrain", "make", "--help"])
    offered = "".join(capsys.readouterr().out.split()).partition("KINDkind:")[2].partition("options:")[0]
    assert sorted(offered.split(",")) == sorted(GENERATORS)


@pytest.mark.parametrize("settings", [["radius=200"], ["width=20", "run_off=30"], ["radius=200", "corners=20", "width=20"]])
def test_a_circuit_that_does_not_fit_into_its_size_is_refused(settings: list[str]) -> None:
    with pytest.raises(ConfigError, match=r"radius: .*fits into the size"):
        generate_terrain("circuit", 3, ["size=200", *settings])
