"""Does a maneuver from a GPX file lead the vehicle along the track, where it was on Earth, at the speeds that were asked for?"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import jounce
from simulator.cli.main import main
from simulator.driver.path import Path as Way
from simulator.imports.gpx.line import smooth_line

A, E2 = 6378137.0, 0.00669437999014
LATITUDE, LONGITUDE = 47.3769, 8.5417
RADIUS, SPEED = 60.0, 10.0


def on_earth(x: float, y: float) -> tuple[float, float]:
    """Return latitude and longitude of a point east and north of the origin, by the radii of curvature of the ellipsoid."""
    s = math.sin(math.radians(LATITUDE))
    meridian, normal = A * (1 - E2) / (1 - E2 * s * s) ** 1.5, A / math.sqrt(1 - E2 * s * s)
    return LATITUDE + math.degrees(y / meridian), LONGITUDE + math.degrees(x / (normal * math.cos(math.radians(LATITUDE))))


def write_gpx(path: Path, points: Any, times: bool = True, change: Callable[[str], str] = str) -> Path:
    """Write a track with a point each second."""
    rows = []
    for n, (x, y) in enumerate(points):
        latitude, longitude = on_earth(x, y)
        time = f"<time>2026-05-01T10:{n // 60:02d}:{n % 60:02d}Z</time>" if times else ""
        rows.append(f'<trkpt lat="{latitude:.9f}" lon="{longitude:.9f}"><ele>410.2</ele>{time}</trkpt>')
    head = '<?xml version="1.0" encoding="UTF-8"?><gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">'
    path.write_text(change(f"{head}<trk><name>Loop</name><trkseg>\n" + "\n".join(rows) + "\n</trkseg></trk></gpx>"))
    return path


def circle(noise: float = 0.0, start: tuple[float, float] = (0.0, 0.0)) -> np.ndarray:
    """Return a circle to the left, which begins at `start` to the east, with a point each second."""
    angle = np.arange(0.0, math.tau - 0.5 * SPEED / RADIUS, SPEED / RADIUS)
    points = np.column_stack([start[0] + RADIUS * np.sin(angle), start[1] + RADIUS * (1.0 - np.cos(angle))])
    return points + np.random.default_rng(3).normal(0.0, noise, points.shape) if noise else points


def imported(file: Path, out: Path, *options: str) -> dict[str, Any]:
    assert main(["import", "gpx", str(file), "--out", str(out), "--overwrite", *options]) == 0
    result = out / f"{file.stem}.yaml"
    assert main(["check", str(result)]) == 0
    return yaml.safe_load(result.read_text())


def path_of(content: dict[str, Any]) -> np.ndarray:
    """Return points of the path in the world of a terrain with the start at 0, 0, 0."""
    way = Way.through([tuple(point) for point in content["waypoints_m"]])
    (x, y), yaw = content["start"]["position_m"], math.radians(content["start"]["heading_deg"])
    points = np.column_stack([way.x, way.y])
    c, s = math.cos(yaw), math.sin(yaw)
    return np.column_stack([x + c * points[:, 0] - s * points[:, 1], y + s * points[:, 0] + c * points[:, 1]])


def distance(points: np.ndarray, line: np.ndarray) -> np.ndarray:
    at = np.arange(0.0, len(line) - 0.95, 0.05)
    line = np.column_stack([np.interp(at, np.arange(len(line)), column) for column in line.T])
    return np.array([np.hypot(*(line - point).T).min() for point in points])


def test_the_path_is_the_circle_of_the_track(tmp_path: Path) -> None:
    content = imported(write_gpx(tmp_path / "loop.gpx", circle()), tmp_path / "out", "--smooth", "0")
    line = path_of(content)
    radius = np.hypot(line[:, 0], line[:, 1] - RADIUS)
    assert abs(radius - RADIUS).max() < 0.25  # the arrow of a chord of 10 m is 0.21 m
    assert distance(circle(), line).max() < 0.06


def test_noise_is_smoothed_and_the_bends_stay(tmp_path: Path) -> None:
    """A circle with an error of 0.8 m of each point: half of the error, and no smaller circle."""
    noisy = circle(0.8)
    line = path_of(imported(write_gpx(tmp_path / "loop.gpx", noisy), tmp_path / "out"))
    inner = line[50:-50] + noisy[0]  # the first point is the start of the terrain
    error = np.hypot(inner[:, 0], inner[:, 1] - RADIUS) - RADIUS
    assert np.sqrt(np.mean(error**2)) < 0.6
    assert abs(error.mean()) < 0.35


def test_smoothing_keeps_a_circle_and_the_ends() -> None:
    """The radius of a circle becomes (2 g - g g) R with the gain g = exp(-(width / R)^2 / 2) of a Gaussian: 0.04 % less here."""
    angle = np.linspace(0.0, math.tau, 721)[:-1]
    points = RADIUS * np.column_stack([np.cos(angle), np.sin(angle)])
    line = smooth_line(points, 12.0, True)
    radius = np.hypot(*line.T)
    assert radius == pytest.approx((2 * math.exp(-0.5 * 0.04) - math.exp(-0.04)) * RADIUS, rel=1e-4)
    straight = np.column_stack([np.linspace(0.0, 100.0, 11), np.linspace(0.0, 50.0, 11)])
    line = smooth_line(straight, 10.0, False)
    assert line[0] == pytest.approx(straight[0], abs=1e-6)
    assert line[-1] == pytest.approx(straight[-1], abs=1e-6)
    assert line[:, 1] == pytest.approx(0.5 * line[:, 0], abs=1e-9)


def test_on_a_terrain_with_a_position_the_path_lies_where_it_was(tmp_path: Path) -> None:
    """Compared with the topocentric projection of PROJ."""
    pyproj = pytest.importorskip("pyproj")
    terrain = tmp_path / "field.yaml"
    terrain.write_text(f"type: flat\nlatitude_deg: {LATITUDE - 0.002}\nlongitude_deg: {LONGITUDE + 0.003}\naltitude: 400.0\n")
    track = circle(start=(30.0, 20.0))
    line = path_of(imported(write_gpx(tmp_path / "loop.gpx", track), tmp_path / "out", "--terrain", str(terrain), "--smooth", "0"))
    east_north = pyproj.Transformer.from_pipeline(
        f"+proj=pipeline +step +proj=unitconvert +xy_in=deg +xy_out=rad +step +proj=cart +ellps=WGS84 "
        f"+step +proj=topocentric +ellps=WGS84 +lon_0={LONGITUDE + 0.003} +lat_0={LATITUDE - 0.002} +h_0=400"
    )
    there = np.array(
        [east_north.transform(longitude, latitude, 400.0)[:2] for latitude, longitude in (on_earth(*point) for point in track)]
    )
    assert distance(there, line).max() < 0.06
    assert there[0] == pytest.approx((-196.5, 242.4), abs=1.0)  # the start of the track is northwest of the start of the terrain


def test_a_track_off_the_terrain_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    terrain = tmp_path / "far.yaml"
    terrain.write_text("type: flat\nlatitude_deg: 10\nlongitude_deg: 20\n")
    file = write_gpx(tmp_path / "loop.gpx", circle())
    assert "the terrain is at another place on Earth" in outcome_of(
        [str(file), "--out", str(tmp_path / "out"), "--terrain", str(terrain)], capfd
    )
    assert "beyond the edge of the terrain" in outcome_of(
        [
            str(write_gpx(tmp_path / "long.gpx", [(40.0 * n, 0.0) for n in range(200)])),
            "--out",
            str(tmp_path / "out"),
            "--terrain",
            "jacksboro",
        ],
        capfd,
    )


def test_a_vehicle_follows_at_the_recorded_speeds_and_stops(tmp_path: Path) -> None:
    """A straight and a bend at 10 m/s, then 5 m/s: the vehicle takes the recorded time, within the time to start and stop."""
    stations = np.concatenate([np.arange(0.0, 100.0, 10.0), np.arange(100.0, 160.0, 5.0)])
    bend = np.clip((stations - 60.0) / 50.0, 0.0, 1.2)
    course = np.concatenate([[0.0], 0.5 * (bend[1:] + bend[:-1])[:-1], bend[-1:]])
    steps = np.diff(stations, prepend=0.0)[:, None]
    points = np.cumsum(np.column_stack([np.cos(course), np.sin(course)]) * steps, axis=0)
    content = imported(write_gpx(tmp_path / "way.gpx", points), tmp_path / "out", "--speed", "recorded")
    speeds = [entry["speed_mps"] for entry in content["speed"]]
    assert max(speeds) == pytest.approx(10.0, abs=0.5)
    assert speeds[-1] == 0.0
    assert min(speeds[:-1]) == pytest.approx(5.0, abs=0.5)
    result = jounce.Simulation("sedan", "flat", maneuver=str(tmp_path / "out" / "way.yaml")).run()
    assert result.metrics["path_error_max_m"] < 0.5
    assert result.metrics["distance_m"] == pytest.approx(155.0, abs=4.0)
    assert abs(result.metrics["speed_end_mps"]) < 0.1


def test_laps_of_a_closed_track_are_timed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    content = imported(write_gpx(tmp_path / "loop.gpx", circle()), tmp_path / "out", "--laps", "2", "--speed", "36")
    assert content["timed_course"]["laps"] == 2
    assert "stop" not in content["cornering"]
    way = Way.around([tuple(point) for point in content["waypoints_m"]], 1)
    assert way.length == pytest.approx(math.tau * RADIUS, rel=0.01)
    open_track = write_gpx(tmp_path / "open.gpx", [(10.0 * n, 0.0) for n in range(30)])
    assert "a closed track" in outcome_of([str(open_track), "--out", str(tmp_path / "open"), "--laps", "1"], capfd)


def test_a_track_that_turns_back_passes_the_check(tmp_path: Path) -> None:
    """Its waypoints about the turn would be closer than a maneuver permits."""
    there = [(7.0 * n, 0.0) for n in range(12)]
    content = imported(write_gpx(tmp_path / "back.gpx", [*there, *[(x, 0.4) for x, _ in there[::-1]]]), tmp_path / "out", "--spacing", "2")
    assert len(content["waypoints_m"]) > 50


def test_of_several_tracks_one_is_chosen_and_errors_of_the_receiver_are_left_out(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    jump = [(10.0 * n, 5000.0 if n == 7 else 0.0) for n in range(30)]

    def more(text: str) -> str:
        route = '<rte><name>Short</name><rtept lat="47.1" lon="8.1"/><rtept lat="47.1" lon="8.102"/></rte>'
        return text.replace("</gpx>", '<wpt lat="47" lon="8"/>' + route + "</gpx>")

    file = write_gpx(tmp_path / "two.gpx", jump, change=more)
    capfd.readouterr()
    assert main(["import", "gpx", str(file), "--out", str(tmp_path / "a"), "--json"]) == 0
    report = json.loads(capfd.readouterr().out)
    assert report["track"] == "Loop"
    assert report["length"] == pytest.approx(290.0, abs=1.0)
    assert any("left out" in line for line in report["losses"])
    assert any("waypoint" in line for line in report["losses"])
    assert main(["import", "gpx", str(file), "--out", str(tmp_path / "b"), "--json", "--track", "Short"]) == 0
    assert json.loads(capfd.readouterr().out)["length"] == pytest.approx(151.8, abs=0.3)
    assert "1 to 2" in outcome_of([str(file), "--out", str(tmp_path / "c"), "--track", "3"], capfd)


def test_the_name_of_a_track_stays_a_text(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    name = "a: [&#10;evil: 1&#13;#&#x85;&#x2028;&#x7f;&quot;'"
    plain = imported(write_gpx(tmp_path / "loop.gpx", circle()), tmp_path / "plain")
    capfd.readouterr()
    content = imported(write_gpx(tmp_path / "loop.gpx", circle(), change=lambda text: text.replace("Loop", name)), tmp_path / "out")
    assert content.keys() == plain.keys()
    text = (tmp_path / "out" / "loop.yaml").read_text(encoding="utf-8")
    assert all(line.isprintable() for shown in (text, capfd.readouterr().out) for line in shown.split("\n"))


def outcome_of(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> str:
    """Return the only line of an import that fails with the exit code 2."""
    capfd.readouterr()
    assert main(["import", "gpx", *arguments]) == 2
    lines = capfd.readouterr().err.strip().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


HOSTILE: dict[str, tuple[Callable[[str], str], str]] = {
    "a document type": (lambda text: '<!DOCTYPE gpx [<!ENTITY a "b">]><gpx>&a;</gpx>', "document type"),
    "cut": (lambda text: text[: len(text) // 2], "not XML"),
    "empty": (lambda text: "", "not XML"),
    "another format": (lambda text: "<kml/>", "root element <gpx>"),
    "no track": (lambda text: "<gpx/>", "at least two points"),
    "one point": (lambda text: '<gpx><trk><trkseg><trkpt lat="1" lon="2"/></trkseg></trk></gpx>', "at least two points"),
    "latitude": (lambda text: text.replace('lat="47', 'lat="147', 1), "from -90 to 90"),
    "not a number": (lambda text: text.replace('lat="47', 'lat="nan47', 1), "from -90 to 90"),
    "no longitude": (lambda text: text.replace("lon=", "long=", 1), "from -180 to 180"),
    "height": (lambda text: text.replace("410.2", "1e99", 1), "a height"),
    "at rest": (
        lambda text: text[: text.index("<trkpt")] + 9 * '<trkpt lat="1" lon="2"/>' + text[text.index("</trkseg") :],
        "at least 10 m",
    ),
    "around the world": (lambda text: text.replace('lon="8', 'lon="98', 20).replace("<time>2026", "<time>20x6"), "within 90 km"),
}


@pytest.mark.parametrize("fault", HOSTILE)
def test_a_hostile_file_is_one_line_and_leaves_nothing(fault: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    change, words = HOSTILE[fault]
    file = write_gpx(tmp_path / "loop.gpx", circle(), change=change)
    assert words in outcome_of([str(file), "--out", str(tmp_path / "out")], capfd)
    assert not (tmp_path / "out").exists()


def test_a_receiver_at_rest_is_no_track(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = write_gpx(tmp_path / "rest.gpx", [(0.4 * (-1) ** n, 0.0) for n in range(60)])
    for options in ([], ["--smooth", "0"], ["--laps", "1"]):
        outcome_of([str(file), "--out", str(tmp_path / "out"), *options], capfd)


def test_options_that_do_not_fit_are_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file, out = write_gpx(tmp_path / "loop.gpx", circle(), times=False), str(tmp_path / "out")
    assert "time stamps" in outcome_of([str(file), "--out", out, "--speed", "recorded"], capfd)
    assert "--laps" in outcome_of([str(file), "--out", out, "--speed", "recorded", "--laps", "2"], capfd)
    assert "nowhere" in outcome_of([str(file), "--out", out, "--terrain", "nowhere"], capfd)
    assert "spaceship" in outcome_of([str(file), "--out", out, "--vehicle", "spaceship"], capfd)
