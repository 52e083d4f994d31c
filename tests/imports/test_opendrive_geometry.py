"""Are points on imported roads where closed forms and another reader of OpenDRIVE put them?"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import fresnel

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.base.xml_file import parse_xml
from simulator.imports.opendrive.document import Road, read_document
from simulator.imports.opendrive.layout import border_points, borders, frame, lateral_height, point, stations
from simulator.imports.opendrive.outlines import convex_parts
from simulator.imports.opendrive.profile import Profile, read_profile
from simulator.imports.opendrive.reference_line import ReferenceLine, read_reference_line

DATA = Path(__file__).parents[1] / "data" / "opendrive"
PLAIN = Profile(np.zeros(0), np.zeros((0, 4)))


def line_of(shape: str, length: float, heading: float = 0.0) -> ReferenceLine:
    """Return a reference line of one element that begins at (3, -2)."""
    text = f'<planView><geometry s="0" x="3" y="-2" hdg="{heading}" length="{length}">{shape}</geometry></planView>'
    return read_reference_line(parse_xml(text, "road.xodr", "a road"), length)


@pytest.mark.parametrize("curvature", [0.02, -0.3, 1e-12])
def test_an_arc_is_a_part_of_a_circle(curvature: float) -> None:
    s, heading = np.linspace(0.0, 25.0, 11), 0.7
    x, y, direction = line_of(f'<arc curvature="{curvature}"/>', 25.0, heading).at(s)
    center = np.array((3.0, -2.0)) + np.array((-math.sin(heading), math.cos(heading))) / curvature
    turned = heading + curvature * s
    if abs(curvature) > 1e-6:
        expected = center + np.column_stack((np.sin(turned), -np.cos(turned))) / curvature
    else:
        expected = np.array((3.0, -2.0)) + s[:, None] * (math.cos(heading), math.sin(heading))
    np.testing.assert_allclose(np.column_stack((x, y)), expected, atol=1e-9)
    np.testing.assert_allclose(direction, turned, atol=1e-12)


@pytest.mark.parametrize(("first", "last", "length"), [(0.0, 0.02, 60.0), (0.0, -0.25, 40.0), (0.1, -0.05, 50.0), (0.5, 0.0, 80.0)])
def test_a_clothoid_is_a_piece_of_the_integrals_of_fresnel(first: float, last: float, length: float) -> None:
    rate = (last - first) / length
    s = np.linspace(0.0, length, 41)
    # the whole spiral from its point of zero curvature: theta = rate t^2 / 2, with t = s + first / rate
    scale, t = math.sqrt(math.pi / abs(rate)), np.concatenate(([0.0], s)) + first / rate
    sine, cosine = fresnel(t / scale)
    spiral = scale * np.column_stack((cosine, math.copysign(1.0, rate) * sine))
    turn = -0.5 * rate * (first / rate) ** 2
    c, n = math.cos(turn), math.sin(turn)
    expected = (spiral[1:] - spiral[0]) @ np.array(((c, n), (-n, c)))
    x, y, direction = line_of(f'<spiral curvStart="{first}" curvEnd="{last}"/>', length).at(s)
    np.testing.assert_allclose(np.column_stack((x - 3.0, y + 2.0)), expected, atol=1e-9)
    np.testing.assert_allclose(direction, first * s + 0.5 * rate * s * s, atol=1e-12)


def test_a_cubic_polynomial_is_measured_along_the_curve() -> None:
    b, c, d = 0.1, -0.02, 4e-4
    s = np.array((0.0, 7.0, 21.0, 40.0))
    x, y, direction = line_of(f'<poly3 a="0" b="{b}" c="{c}" d="{d}"/>', 40.0).at(s)
    u = x - 3.0
    np.testing.assert_allclose(y + 2.0, u * (b + u * (c + d * u)), atol=1e-9)
    slope = b + u * (2.0 * c + 3.0 * d * u)
    lengths = [quad(lambda at: math.hypot(1.0, b + at * (2.0 * c + 3.0 * d * at)), 0.0, end)[0] for end in u]
    np.testing.assert_allclose(lengths, s, atol=1e-8)
    np.testing.assert_allclose(direction, np.arctan(slope), atol=1e-12)


@pytest.mark.parametrize(("words", "most"), [('pRange="arcLength"', 40.0), ('pRange="normalized"', 1.0), ("", 1.0)])
def test_the_parameter_of_a_parametric_polynomial_ends_at_its_range(words: str, most: float) -> None:
    rows = {"U": (0, 38 / most, 0, 1 / most**3), "V": (0, 0, 5 / most**2, -2 / most**3)}
    attributes = " ".join(f'{power}{axis}="{value}"' for axis, row in rows.items() for power, value in zip("abcd", row, strict=True))
    x, y, direction = line_of(f"<paramPoly3 {words} {attributes}/>", 40.0).at(np.array((0.0, 20.0, 40.0)))
    np.testing.assert_allclose(x - 3.0, (0.0, 19.125, 39.0), atol=1e-9)
    np.testing.assert_allclose(y + 2.0, (0.0, 1.0, 3.0), atol=1e-9)
    np.testing.assert_allclose(direction, (0.0, math.atan2(3.5, 38.75), math.atan2(4.0, 41.0)), atol=1e-9)


def _distances(points: Array, line: Array) -> Array:
    """Return the distances of points from a polyline."""
    steps = np.diff(line, axis=0)
    away = points[:, None] - line[:-1]
    part = np.clip((away * steps).sum(axis=2) / (steps * steps).sum(axis=1), 0.0, 1.0)
    return np.linalg.norm(away - part[..., None] * steps, axis=2).min(axis=1)


@pytest.mark.parametrize("name", ["curves 7", "crossing 0", "crossing 20", "crossing 30"])
def test_reference_lines_and_lane_borders_are_those_of_pyxodr(name: str) -> None:
    """pyxodr cuts a road into steps of 0.02 m, which shifts heights and borders of a long road by up to 1 mm along it."""
    file, _, number = name.partition(" ")
    road = replace(read_document(DATA / f"{file}.xodr").roads[number], superelevation=PLAIN)  # pyxodr has none
    points = {key: np.array(value) for key, value in json.loads((DATA / "pyxodr_points.json").read_text())["roads"][name].items()}
    dense = frame(road, stations(0.0, road.length, 0.1)).points
    assert _distances(points.pop("reference"), dense).max() < 2e-3
    compared = 0
    for k, section in enumerate(road.sections):
        at = frame(road, stations(section.begin, section.end, 0.1))
        for shapes, rows in zip((section.left, section.right), borders(road, section, at.s), strict=True):
            for lane, line in zip(shapes, border_points(road, shapes, rows, at)[1:], strict=True):
                assert _distances(points.pop(f"{k} {lane.id}"), line[:, :2]).max() < 2e-3, (k, lane.id)
                compared += 1
    assert not points
    assert compared


@pytest.fixture(scope="module")
def curves() -> Road:
    return read_document(DATA / "curves.xodr").roads["7"]


def test_superelevation_turns_the_road_about_its_reference_line(curves: Road) -> None:
    s, t = np.array((90.0, 130.0, 150.0)), np.array((4.0, -3.0, 2.0))
    at = frame(curves, s)
    x, y, heading = curves.reference.at(s)
    found = point(curves, at, t)
    roll, pitch = curves.superelevation.at(s), np.arctan(curves.elevation.at(s, derivative=True))
    assert (roll > 0.01).all()
    np.testing.assert_allclose(np.linalg.norm(found - at.points, axis=1), np.abs(t), atol=1e-12)
    np.testing.assert_allclose(found[:, 2], curves.elevation.at(s) + t * np.sin(roll) * np.cos(pitch), atol=1e-12)
    across = -np.sin(heading) * (found[:, 0] - x) + np.cos(heading) * (found[:, 1] - y)
    np.testing.assert_allclose(across, t * np.cos(roll), atol=1e-12)


def test_a_profile_begins_anew_at_each_entry() -> None:
    root = parse_xml('<p><e s="10" a="1" b="2" c="3" d="4"/><e s="20" a="5" b="0" c="0" d="0"/></p>', "road.xodr", "a road")
    profile = read_profile(root.all("e"))
    np.testing.assert_allclose(profile.at(np.array((9.0, 10.0, 12.0, 20.0, 99.0))), (0.0, 1.0, 49.0, 5.0, 5.0))
    np.testing.assert_allclose(profile.at(np.array((12.0, 30.0)), derivative=True), (2.0 + 12.0 + 48.0, 0.0))


def test_the_lateral_profile_is_linear_between_its_stations(curves: Road) -> None:
    flat, roof = PLAIN, Profile(np.array((-5.0, 0.0)), np.array(((-0.1, 0.02, 0.0, 0.0), (0.0, -0.02, 0.0, 0.0))))
    road = replace(curves, shape=((10.0, flat), (30.0, roof)))
    s, t = np.array((5.0, 10.0, 20.0, 30.0, 80.0)), np.full(5, 4.0)
    np.testing.assert_allclose(lateral_height(road, s, t), (0.0, 0.0, -0.04, -0.08, -0.08), atol=1e-12)


def test_a_level_lane_goes_on_horizontally_from_its_inner_border(curves: Road) -> None:
    section = curves.sections[0]
    level = (section.right[0], replace(section.right[1], level=True))
    at = frame(curves, np.array((130.0,)))
    rows = borders(curves, section, at.s)[1]
    inner, outer = border_points(curves, level, rows, at)[1:, 0]
    assert outer[2] == pytest.approx(inner[2], abs=1e-12)
    assert np.linalg.norm(outer - inner) == pytest.approx(1.5, abs=1e-12)
    assert border_points(curves, section.right, rows, at)[2, 0, 2] < inner[2] - 0.03


@pytest.mark.parametrize(
    "corners",
    [[(0, 0), (4, 0), (4, 3), (0, 3)], [(0, 0), (12, 0), (12, 5), (5, 5), (5, 12), (0, 12)], [(0, 0), (0, 9), (2, 2), (9, 0)]],
)
def test_the_parts_of_an_outline_cover_its_area_and_nothing_beyond(corners: list[tuple[float, float]]) -> None:
    def area(points: Array) -> float:
        return abs(0.5 * float(np.sum(points[:, 0] * np.roll(points[:, 1], -1) - np.roll(points[:, 0], -1) * points[:, 1])))

    outline = np.array(corners, float)
    parts = [outline[rows] for rows in convex_parts(outline)]
    assert sum(map(area, parts)) == pytest.approx(area(outline))
    assert (len(parts) == 1) == (len(corners) == 4 and corners[2] == (4, 3))


ZEROS = " ".join(f'{k}{axis}="0"' for axis in "UV" for k in "abcd")


@pytest.mark.parametrize(
    ("shape", "length", "words"),
    [
        ("", 10.0, "one of <line>"),
        ("<line/><line/>", 10.0, "one of <line>"),
        ('<arc curvature="nan"/>', 10.0, "curvature"),
        ('<arc curvature="1_0"/>', 10.0, "curvature"),
        ('<spiral curvStart="0"/>', 10.0, "curvEnd: missing"),
        ('<spiral curvStart="0" curvEnd="50"/>', 1e6, "a turn of at most"),
        (f"<paramPoly3 {ZEROS}/>", 50.0, "a curve without length"),
        ("<line/>", -1.0, "length"),
        ("<line/>", 0.0, "no element with a length"),
    ],
)
def test_an_impossible_reference_line_is_refused_with_its_line(shape: str, length: float, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        line_of(shape, length)
    assert str(caught.value).startswith("road.xodr:1: ")
