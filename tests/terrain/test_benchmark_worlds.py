"""Do imported worlds of Verti-Bench and BARN have the heights, soils, friction, obstacles and tasks of their files and simulators?"""

from __future__ import annotations

import csv
import io
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from PIL import Image

from simulator.base.errors import ConfigError, OutputError
from simulator.builder.builder import build_ground
from simulator.cli.parser import parser_of
from simulator.tools.terrain.benchmarks import barn_world, verti_bench_world
from simulator.tools.terrain.benchmarks.verti_bench_terrain import merged_friction
from simulator.tools.terrain.benchmarks.verti_bench_world import MAP_HALF, bilinear_heights, node_heights, triangle_heights
from terrain.composite_height import composed_heights
from terrain.ground import Ground
from terrain.objects.table_file import COLUMNS

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "assets" / "benchmarks"
FRICTION = ROOT / "tests" / "data" / "benchmarks" / "friction_as_simulated.csv"


def imported(*arguments: object) -> None:
    """Run `jounce terrain import`."""
    given = parser_of("terrain", "import").parse_args(["terrain", "import", *map(str, arguments)])
    assert given.run(given) == 0


def ground_of(file: Path) -> Ground:
    return build_ground(str(file))


def table(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text())))


def heights(ground: Ground, x: Any, y: Any) -> np.ndarray:
    x, y = (np.ascontiguousarray(np.ravel(part), float) for part in np.broadcast_arrays(x, y))
    z = np.empty(x.size)
    composed_heights(ground.arrays, x, y, z)
    return z


def soil_at(ground: Ground, x: float, y: float) -> tuple[str, float, float]:
    """Return label, hardness and friction of the node nearest to a point."""
    i, j = (round((p - ground.p[0]["origin"][k]) / ground.p[0]["spacing"][k]) for k, p in enumerate((x, y)))
    row = ground.soil_ids[j, i]
    return ground.soil_names[row], float(ground.hardness[j, i]), float(ground.soils[row]["friction"])


@pytest.fixture(scope="module")
def rigid(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """World 3 in both variants."""
    folder = tmp_path_factory.mktemp("rigid")
    for variant in ("as_simulated", "as_written"):
        imported("verti_bench", SHIPPED / "verti_bench", "--world", 3, "--variant", variant, "--out", folder, "--name", variant)
    return {variant: folder / f"{variant}.yaml" for variant in ("as_simulated", "as_written")}


def write_world(folder: Path, kind: str, materials: np.ndarray, number: int = 200, **changes: Any) -> None:
    """Write a world of the format: random heights, the given tiles (16, 16), one rock."""
    random = np.random.default_rng(number)
    Image.fromarray(random.integers(6, 106, (129, 129)).astype(np.uint8)).save(folder / f"{number}.bmp")
    textures = []
    for i, j in np.ndindex(16, 16):
        hard = {"friction": round(float(random.uniform(0.3, 0.9)), 6), "restitution": 0.01}
        tile = {"index": [i, j], "terrain_type": str(materials[i, j]), "texture_file": "x.jpg"}
        textures.append({**tile, **({} if materials[i, j] in ("mud", "sand", "snow") else hard)})
    content = {
        "terrain": {"difficulty": "low", "is_flat": False, "min_height": 0.0, "max_height": 4.8, "length": 64.5},
        "terrain_type": kind,
        "textures": textures,
        "obstacles_flag": True,
        "obstacles": {"rocks": [{"position": {"x": 10.0, "y": -20.0, "z": 1.5}, "scale": 0.8}], "trees": []},
        "positions": [{"start": [60.0, 0.0, 1.0], "goal": [-60.0, 0.0, 1.0]}],
        **changes,
    }
    (folder / f"config{number}_low.yaml").write_text(yaml.safe_dump(content))


@pytest.mark.parametrize("world", [3, 10, 15, 95])
def test_merged_friction_is_that_of_the_simulator(world: int) -> None:
    """All hard tiles of the world, to the 4 decimals of the reference; without the merging, most tiles differ."""
    rows = [row for row in table(FRICTION) if int(row["world"]) == world]
    materials, friction = np.full((16, 16), "snow", "U16"), np.full((16, 16), np.nan)
    expected = friction.copy()
    for row in rows:
        place = int(row["row"]), int(row["column"])
        materials[place], friction[place] = row["terrain_type"], float(row["friction_in_yaml"])
        expected[place] = float(row["friction_as_simulated"])
    assert len(rows) >= 150
    np.testing.assert_array_equal(merged_friction(materials, friction), expected)
    hard = ~np.isnan(friction)
    assert (friction[hard] != expected[hard]).mean() > 0.5


def test_heights_at_the_nodes_are_those_of_the_map(rigid: dict[str, Path]) -> None:
    """A node (row r, column c) is at x = c - 64, y = 64 - r, at 9.6 m * count / 255."""
    counts = np.array(Image.open(SHIPPED / "verti_bench" / "3.bmp"), float)
    ground = ground_of(rigid["as_simulated"])
    rows, columns = np.mgrid[0:129, 0:129]
    z = heights(ground, columns - 64.0, 64.0 - rows).reshape(129, 129)
    np.testing.assert_allclose(z, 9.6 * counts / 255.0, atol=2e-6)


def test_hard_ground_is_two_triangles_per_cell(rigid: dict[str, Path]) -> None:
    """At the nodes of 0.25 m exactly; between them, the surface of the wheels differs by millimeters."""
    world = verti_bench_world.read_world(SHIPPED / "verti_bench", 3)
    ground = ground_of(rigid["as_simulated"])
    nodes = np.arange(-63.75, 64.0, 0.25)
    x, y = np.meshgrid(nodes, nodes)
    exact = triangle_heights(node_heights(world), 64.0, x.ravel(), y.ravel())
    np.testing.assert_allclose(heights(ground, x, y), exact, atol=2e-6)
    # the diagonal runs from the south-west to the north-east corner
    h = node_heights(world)
    assert triangle_heights(h, 64.0, np.array([0.5]), np.array([0.5]))[0] == pytest.approx(0.5 * (h[64, 64] + h[65, 65]))
    x, y = np.random.default_rng(1).uniform(-60.0, 60.0, (2, 20_000))
    apart = np.abs(heights(ground, x, y) - triangle_heights(h, 64.0, x, y))
    assert np.quantile(apart, 0.95) < 0.02
    assert apart.max() < 0.2


def test_friction_of_each_tile(rigid: dict[str, Path]) -> None:
    """At all tile centers: merged friction as simulated, that of the file as written."""
    expected = {"as_simulated": "friction_as_simulated", "as_written": "friction_in_yaml"}
    for variant, column in expected.items():
        ground = ground_of(rigid[variant])
        for row in (row for row in table(FRICTION) if row["world"] == "3"):
            _label, hardness, friction = soil_at(ground, 8.0 * int(row["column"]) - 60.0, 60.0 - 8.0 * int(row["row"]))
            assert hardness == 1.0
            assert friction == pytest.approx(float(row[column]), abs=5.1e-5), (variant, row)


def test_rocks_and_trees_are_boxes_as_written(rigid: dict[str, Path]) -> None:
    content = yaml.safe_load((SHIPPED / "verti_bench" / "config3_mid.yaml").read_text())["obstacles"]
    rows = table(rigid["as_simulated"].with_name("as_simulated_objects.csv"))
    assert tuple(rows[0]) == COLUMNS
    rocks = [row for row in rows if row["label"] == "rock"]
    assert len(rocks) == len(content["rocks"]) == 10
    assert len(rows) - len(rocks) == len(content["trees"]) == 1
    for row, rock in zip(rocks, content["rocks"], strict=True):
        np.testing.assert_allclose([float(row[f"{axis}_m"]) for axis in "xyz"], [rock["position"][axis] for axis in "xyz"], atol=1e-6)
        sizes = [float(row[f"{side}_m"]) for side in ("length", "width", "height")]
        np.testing.assert_allclose(sizes, np.array((4.4, 4.4, 3.8)) * rock["scale"], atol=1e-6)
        assert row["restitution"] == "0.01"
    assert [float(rows[-1][f"{side}_m"]) for side in ("length", "width", "height")] == [1.0, 1.0, 5.0]
    read = ground_of(rigid["as_simulated"]).objects
    assert len(read) == 11
    np.testing.assert_allclose(read.objects[0].position, [content["rocks"][0]["position"][axis] for axis in "xyz"], atol=1e-6)


def test_the_obstacles_confirm_the_orientation_of_the_map() -> None:
    """Their z was taken from the map of 129 m, at 1/0.9 times the distance from the middle: any flip is far worse."""
    world = verti_bench_world.read_world(SHIPPED / "verti_bench", 3)
    places = np.array([one.position for one in world.obstacles])
    h = node_heights(world)
    x, y = places[:, 0] / 0.9, places[:, 1] / 0.9
    inside = np.maximum(np.abs(x), np.abs(y)) < MAP_HALF
    errors = [
        np.median(np.abs(places[:, 2] - triangle_heights(one, MAP_HALF, x, y))[inside])
        for one in (h, h[::-1], h[:, ::-1], h.T, h[::-1, ::-1])
    ]
    assert inside.sum() >= 9
    assert errors[0] < 0.02
    assert min(errors[1:]) > 0.1


def test_tasks_are_beside_the_terrain(rigid: dict[str, Path]) -> None:
    rows = table(rigid["as_simulated"].with_name("as_simulated_tasks.csv"))
    assert len(rows) == 10
    for k, row in enumerate(rows):
        number = {key: float(value) for key, value in row.items() if key != "task"}
        angle = math.radians(36.0 * k)
        np.testing.assert_allclose([number["start_x_m"], number["start_y_m"]], [60.0 * math.cos(angle), 60.0 * math.sin(angle)], atol=1e-5)
        assert math.hypot(number["goal_x_m"] + number["start_x_m"], number["goal_y_m"] + number["start_y_m"]) < 1e-5
        assert math.cos(math.radians(number["start_yaw_deg"]) - angle) == pytest.approx(-1.0)
        assert (number["goal_radius_m"], number["time_limit_s"]) == (8.0, 60.0)
    world = verti_bench_world.read_world(SHIPPED / "verti_bench", 3)
    ends = triangle_heights(node_heights(world), MAP_HALF, np.array([60.0, -60.0]), np.zeros(2))
    assert float(rows[0]["start_z_m"]) == pytest.approx(ends[0] + 1.0, abs=1e-5)
    assert float(rows[0]["goal_z_m"]) == pytest.approx(ends[1] + 2.0, abs=1e-5)
    spawn = ground_of(rigid["as_simulated"]).spawn
    assert spawn == pytest.approx((60.0, 0.0, math.pi))


def test_soft_worlds_are_bands_as_simulated_and_tiles_as_written(tmp_path: Path) -> None:
    materials = np.array([["snow", "mud", "sand"][(i + j) % 3] for i, j in np.ndindex(16, 16)]).reshape(16, 16)
    write_world(tmp_path, "deformable", materials)
    for variant in ("as_simulated", "as_written"):
        imported("verti_bench", tmp_path, "--world", 200, "--variant", variant, "--out", tmp_path / "out", "--name", variant)
    bands, tiles = (ground_of(tmp_path / "out" / f"{variant}.yaml") for variant in ("as_simulated", "as_written"))
    looks = {"mud": "clayey_loam", "sand": "dry_sand", "snow": "snow"}
    for y, soil in ((60.0, "mud"), (21.25, "mud"), (20.75, "sand"), (-21.75, "sand"), (-22.25, "snow"), (-60.0, "snow")):
        assert soil_at(bands, 5.0, y)[:2] == (looks[soil], 0.0), y
    for i, j in ((0, 0), (0, 1), (3, 7), (15, 15), (15, 0)):
        assert soil_at(tiles, 8.0 * j - 60.0, 60.0 - 8.0 * i)[0] == looks[str(materials[i, j])]
    world = verti_bench_world.read_world(tmp_path, 200)
    x, y = np.meshgrid(np.arange(-60.0, 60.0, 0.25), np.arange(-60.0, 60.0, 0.25))
    exact = bilinear_heights(node_heights(world), 64.0, x.ravel(), y.ravel())
    np.testing.assert_allclose(heights(bands, x, y), exact, atol=2e-6, err_msg="soft ground is bilinear")


def test_two_soils_meet_in_the_middle(tmp_path: Path) -> None:
    write_world(tmp_path, "deformable", np.where(np.arange(256).reshape(16, 16) % 2 == 0, "snow", "mud"))
    imported("verti_bench", tmp_path, "--world", 200, "--out", tmp_path / "out")
    ground = ground_of(tmp_path / "out" / "out.yaml")
    assert soil_at(ground, 0.0, 0.25)[0] == "clayey_loam"
    assert soil_at(ground, 0.0, -0.25)[0] == "snow"


def test_soils_have_the_parameters_of_the_benchmark(tmp_path: Path) -> None:
    write_world(tmp_path, "deformable", np.full((16, 16), "sand"))
    imported("verti_bench", tmp_path, "--world", 200, "--out", tmp_path / "out")
    sand = ground_of(tmp_path / "out" / "out.yaml").soils[0]
    assert (sand["k_phi"], sand["k_c"], sand["n"], sand["cohesion"]) == (5.301e6, 102e3, 0.793, 1300.0)
    assert math.degrees(sand["friction_angle"]) == pytest.approx(31.1)
    assert (sand["shear_modulus"], sand["elastic_stiffness"], sand["damping"], sand["slip_sinkage"]) == (0.012, 4e8, 3e4, 0.0)


def test_a_mixed_world_has_soft_tiles_as_written_and_its_own_surface(tmp_path: Path) -> None:
    materials = np.full((16, 16), "rock", "U16")
    materials[4:8, 4:8] = "snow"
    write_world(tmp_path, "mixed", materials)
    imported("verti_bench", tmp_path, "--world", 200, "--out", tmp_path / "out")
    ground = ground_of(tmp_path / "out" / "out.yaml")
    assert soil_at(ground, 8.0 * 5 - 60.0, 60.0 - 8.0 * 5)[:2] == ("snow", 0.0)
    assert soil_at(ground, 8.0 * 9 - 60.0, 60.0 - 8.0 * 5)[1] == 1.0
    world = verti_bench_world.read_world(tmp_path, 200)
    for row, surface in ((5, bilinear_heights), (10, triangle_heights)):
        x, y = 8.0 * 5 - 60.0 + np.arange(-3.0, 3.0, 0.25), 60.0 - 8.0 * row + np.arange(2.75, -3.25, -0.25)
        np.testing.assert_allclose(heights(ground, x, y), surface(node_heights(world), 64.0, x, y), atol=2e-6)


def test_finer_nodes(tmp_path: Path) -> None:
    write_world(tmp_path, "rigid", np.full((16, 16), "clay"))
    imported("verti_bench", tmp_path, "--world", 200, "--spacing", 0.5, "--out", tmp_path / "half")
    assert ground_of(tmp_path / "half" / "half.yaml").p[0]["spacing"][0] == 0.5
    with pytest.raises(ConfigError, match="1/2"):
        imported("verti_bench", tmp_path, "--world", 200, "--spacing", 0.3, "--out", tmp_path / "odd")
    assert not (tmp_path / "odd").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"terrain_type": "lava"}, "terrain_type"),
        ({"textures": []}, r"no entry for the tile \[0, 0\]"),
        ({"terrain": {"min_height": 5.0, "max_height": 1.0}}, "above min_height"),
        ({"positions": [{"start": [90.0, 0.0, 1.0], "goal": [0.0, 0.0, 1.0]}]}, "within 64 m"),
        ({"obstacles": {"rocks": [{"position": {"x": 0.0, "y": 0.0}, "scale": 1.0}]}}, "obstacles.rocks.0..position.z"),
    ],
)
def test_a_damaged_world_is_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    write_world(tmp_path, "rigid", np.full((16, 16), "clay"), **change)
    with pytest.raises(ConfigError, match=message):
        imported("verti_bench", tmp_path, "--world", 200, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_unknown_worlds_and_wrong_options_are_refused(tmp_path: Path) -> None:
    for arguments, message in (
        (("verti_bench", SHIPPED / "verti_bench", "--world", 4), "worlds here: 3"),
        (("verti_bench", SHIPPED / "verti_bench"), "--world N"),
        (("verti_bench", "--world", 3), "FOLDER"),
        (("verti_bench", SHIPPED / "verti_bench", "--world", 3, "--scale", 2), "--scale"),
        (("barn", SHIPPED / "barn", "--world", 4), "one of 3, 103"),
        (("dem.tif", "--world", 3), "--world"),
    ):
        with pytest.raises(ConfigError, match=message):
            imported(*arguments, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_files_are_found_in_the_folders_of_the_repository(tmp_path: Path) -> None:
    """Worlds and configurations are in different folders, and other folders have other maps with the same names."""
    for name in ("Worlds", "Configs", "Training"):
        (tmp_path / "data" / name).mkdir(parents=True)
    shutil.copy(SHIPPED / "verti_bench" / "config3_mid.yaml", tmp_path / "data" / "Configs")
    shutil.copy(SHIPPED / "verti_bench" / "3.bmp", tmp_path / "data" / "Worlds")
    Image.fromarray(np.zeros((129, 129), np.uint8)).save(tmp_path / "data" / "Training" / "3.bmp")
    world = verti_bench_world.read_world(tmp_path, 3)
    np.testing.assert_array_equal(world.counts, np.array(Image.open(SHIPPED / "verti_bench" / "3.bmp")))
    (tmp_path / "data" / "Training" / "config3_mid.yaml").write_text("")
    with pytest.raises(ConfigError, match="name a smaller folder"):
        verti_bench_world.read_world(tmp_path, 3)


def test_nothing_is_overwritten_and_soils_are_shared(rigid: dict[str, Path]) -> None:
    with pytest.raises(OutputError, match="file exists"):
        imported("verti_bench", SHIPPED / "verti_bench", "--world", 3, "--out", rigid["as_written"].parent, "--name", "as_written")
    assert (rigid["as_written"].parent / "LICENSE_verti_bench.txt").read_text().startswith("MIT License\n\nCopyright (c) 2025 RobotiXX")


@pytest.mark.parametrize("scale", [1.0, 5.0])
def test_barn_cylinders_path_and_task_at_a_scale(scale: float, tmp_path: Path) -> None:
    imported("barn", SHIPPED / "barn", "--world", 3, "--scale", scale, "--out", tmp_path / "b")
    rows = table(tmp_path / "b" / "b_objects.csv")
    assert len(rows) == 200
    assert {(row["shape"], row["label"], row["z_m"]) for row in rows} == {("cylinder", "post", "")}
    assert {(float(row["radius_m"]), float(row["height_m"])) for row in rows} == {(0.075 * scale, scale)}
    places = np.array([(float(row["x_m"]), float(row["y_m"])) for row in rows]) / scale
    assert places.min(axis=0) == pytest.approx((-4.425, 0.075))
    assert places[:, 0].max() == pytest.approx(-0.075)
    path = np.array([(float(row["x_m"]), float(row["y_m"])) for row in table(tmp_path / "b" / "b_path.csv")]) / scale
    assert np.hypot(*np.diff(path, axis=0).T).sum() == pytest.approx(11.951, abs=2e-3)
    gaps = np.hypot(*(path[:, None] - places[None]).transpose(2, 0, 1)).min()
    assert gaps > 0.075, "the path does not touch a cylinder"
    (task,) = table(tmp_path / "b" / "b_tasks.csv")
    assert (float(task["start_x_m"]), float(task["start_y_m"])) == pytest.approx((-2.25 * scale, 3.0 * scale))
    assert (float(task["goal_y_m"]), float(task["goal_radius_m"]), task["time_limit_s"]) == (13.0 * scale, scale, "100.0")
    ground = ground_of(tmp_path / "b" / "b.yaml")
    assert {round(one.position[2], 6) for one in ground.objects.objects} == {0.0}
    assert ground.spawn == pytest.approx((-2.25 * scale, 3.0 * scale, 0.5 * math.pi))
    assert np.abs(heights(ground, *(places * scale).T)).max() == 0.0
    assert (tmp_path / "b" / "LICENSE_barn.txt").read_text().startswith("MIT License\n\nCopyright (c) 2022 Zifan Xu")


def test_original_barn_files_give_the_world_of_the_tables(tmp_path: Path) -> None:
    """Write world 103 as SDF and path file, in the folders of the dataset, and read both."""
    from_tables = barn_world.read_world(SHIPPED / "barn", 103)
    models = "".join(
        f"<model name='unit_cylinder_{k}'><static>1</static><pose frame=''>{x:.6f} {y:.6f} 0.000000 0 0 0</pose><link name='link'><collision name='c'>"
        f"<geometry><cylinder><radius>{r:.6f}</radius><length>{h:g}</length></cylinder></geometry></collision></link></model>"
        for k, (x, y, r, h) in enumerate(from_tables.cylinders)
    )
    plane = "<model name='ground_plane'><link name='l'><collision name='c'><geometry><plane/></geometry></collision></link></model>"
    folder = tmp_path / "BARN"
    (folder / "path_files").mkdir(parents=True)
    (folder / "world_103.world").write_text(f"<sdf version='1.6'><world name='default'>{plane}{models}</world></sdf>")
    cells = np.rint((from_tables.path[1:-1] - np.array((-4.575, 5.075))) / 0.15).astype(np.int64)
    np.save(folder / "path_files" / "path_103.npy", cells)
    for path in (tmp_path, folder, folder / "world_103.world"):
        original = barn_world.read_world(path, 103)
        np.testing.assert_allclose(original.cylinders, from_tables.cylinders, atol=1e-6)
        np.testing.assert_allclose(original.path, from_tables.path, atol=1e-9)
    (folder / "world_103.world").write_text("<sdf><world><model name='a'><pose>1 2</pose></model>")
    with pytest.raises(ConfigError, match=r"world_103\.world"):
        barn_world.read_world(folder, 103)


def test_a_world_without_a_path_file_has_no_path(tmp_path: Path) -> None:
    shutil.copy(SHIPPED / "barn" / "cylinders.csv", tmp_path)
    imported("barn", tmp_path, "--world", 3, "--out", tmp_path / "b")
    assert not (tmp_path / "b" / "b_path.csv").exists()
