"""Content of an OpenDRIVE file as Python values: roads with lane sections and lanes, junctions, place on Earth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from simulator.base.errors import ConfigError
from simulator.base.xml_file import XmlElement, read_xml
from simulator.imports.opendrive.profile import Profile, read_profile
from simulator.imports.opendrive.reference_line import ReferenceLine, read_reference_line

EXPECTED = "an OpenDRIVE file"
FARTHEST = 1e7
"""m. Largest coordinate, and largest length of a road."""
SPEED_UNITS = {"m/s": 1.0, "km/h": 1.0 / 3.6, "mph": 0.44704}
USUAL_SPEEDS = {"motorway": 130.0, "rural": 100.0, "townExpressway": 80.0, "lowSpeed": 30.0, "townPlayStreet": 10.0, "pedestrian": 10.0}
"""km/h. Speed limits of types of roads without one; usual in Europe."""
OTHER_SPEED = 50.0
"""km/h. Speed limit of other roads without one."""
NOT_IN_JUNCTION = "-1"
MOST_LANES = 200
"""Maximum number of lanes of a side; OpenDRIVE has no limit."""


@dataclass(frozen=True)
class Link:
    """What follows or precedes a road: a road with the end that it touches ("start", "end"), or a junction."""

    kind: str
    id: str
    contact: str


@dataclass(frozen=True)
class RoadMark:
    """Marking of a lane border from a station on, up to the next one.

    Attributes
    ----------
    begin : m, station of the road
    kind : type of the file, such as "solid broken"
    color, width : name; m
    dash : length of a dash and of a gap [m], 0: those of the file are missing
    lane_change : both, none, increase, decrease; empty: the file has none
    """

    begin: float
    kind: str
    color: str
    width: float
    dash: tuple[float, float]
    lane_change: str
    line: int


@dataclass(frozen=True)
class LaneShape:
    """A lane of a section.

    Attributes
    ----------
    id : positive to the left of the reference line, ascending outward; 0: the center
    kind : type of the file, such as "driving"
    width : m, or distance of the outer border from the center if `is_border`
    heights : (n, 3) station, inner and outer height above the road [m]
    level : whether the lane is without superelevation
    speeds : stations [m] and limits [m/s]
    friction : of its material; NaN: none
    successors, predecessors : ids of lanes
    """

    id: int
    kind: str
    width: Profile
    is_border: bool
    heights: tuple[tuple[float, float, float], ...]
    level: bool
    speeds: tuple[tuple[float, float], ...]
    friction: float
    marks: tuple[RoadMark, ...]
    successors: tuple[int, ...]
    predecessors: tuple[int, ...]
    direction: str
    line: int


@dataclass(frozen=True)
class LaneSection:
    """Lanes between two stations; `left` and `right` from the center outward."""

    begin: float
    end: float
    left: tuple[LaneShape, ...]
    right: tuple[LaneShape, ...]
    center: tuple[RoadMark, ...]

    def lane(self, number: int) -> LaneShape | None:
        """Return the lane with an id, None if there is none."""
        return next((lane for lane in (*self.left, *self.right) if lane.id == number), None)


@dataclass(frozen=True)
class Road:
    """A road.

    Attributes
    ----------
    junction : id of the junction that the road leads through; empty: none
    left_hand : whether traffic keeps to the left
    shape : stations [m] with the lateral profile from there on: (t [m], polynomial of t)
    speeds : stations [m] and limits [m/s] of the road types; usual ones where the file has none
    element : for objects and signals
    """

    id: str
    length: float
    junction: str
    left_hand: bool
    reference: ReferenceLine
    elevation: Profile
    superelevation: Profile
    shape: tuple[tuple[float, Profile], ...]
    lane_offset: Profile
    sections: tuple[LaneSection, ...]
    speeds: tuple[tuple[float, float], ...]
    predecessor: Link | None
    successor: Link | None
    element: XmlElement


@dataclass(frozen=True)
class Connection:
    """A way through a junction, from an incoming road to a connecting road; `lanes`: pairs of lane ids."""

    incoming: str
    connecting: str
    contact: str
    lanes: tuple[tuple[int, int], ...]
    line: int


@dataclass(frozen=True)
class Junction:
    """A junction. `low` are roads that give way to others."""

    id: str
    kind: str
    connections: tuple[Connection, ...]
    low: frozenset[str]


@dataclass(frozen=True)
class Document:
    """Content of a file.

    Attributes
    ----------
    projection : text of <geoReference>; empty: none
    offset : x, y [m], z [m] and heading [rad] of the origin of the file in the projection
    """

    file: str
    roads: dict[str, Road]
    junctions: dict[str, Junction]
    projection: str
    offset: tuple[float, float, float, float]
    root: XmlElement


def read_document(path: Path) -> Document:
    """Read an OpenDRIVE file. Raises ConfigError: it is unreadable, or has no road that can be used."""
    root = read_xml(path, "OpenDRIVE", EXPECTED)
    roads: dict[str, Road] = {}
    for element in root.all("road"):
        road = _road(element)
        if road.id in roads:
            raise element.error("id", road.id, "an id that no other road has")
        roads[road.id] = road
    if not roads:
        raise ConfigError(path, "", "no roads", "an OpenDRIVE file with at least one road")
    junctions = {one.id: one for one in map(_junction, root.all("junction"))}
    header = root.find("header")
    projection, offset = "", (0.0, 0.0, 0.0, 0.0)
    if isinstance(header, XmlElement):
        projection = (header.findtext("geoReference") or "").strip()
        for one in header.all("offset")[:1]:
            x, y, z = (one.number(k, 0.0, -FARTHEST, FARTHEST) for k in "xyz")
            offset = x, y, z, one.number("hdg", 0.0, -100.0, 100.0)
    return Document(str(path), roads, junctions, projection, offset, root)


def _road(element: XmlElement) -> Road:
    length = element.number("length", low=0.0, high=FARTHEST)
    junction = element.word("junction", NOT_IN_JUNCTION)
    lanes = element.the("lanes")
    sections = lanes.all("laneSection")
    begins = [one.number("s", low=0.0, high=FARTHEST) for one in sections]
    if not sections:
        raise lanes.error("", "no lane section", "at least one <laneSection>")
    if begins != sorted(begins):
        raise lanes.error("", "lane sections that go back", "sections with ascending s")
    links = {name: _link(one) for name in ("predecessor", "successor") for one in element.all(f"link/{name}")}
    return Road(
        id=element.word("id"),
        length=length,
        junction="" if junction == NOT_IN_JUNCTION else junction,
        left_hand=element.word("rule", "RHT").upper() == "LHT",
        reference=read_reference_line(element.the("planView"), length),
        elevation=read_profile(element.all("elevationProfile/elevation")),
        superelevation=read_profile(element.all("lateralProfile/superelevation")),
        shape=_shape(element.all("lateralProfile/shape")),
        lane_offset=read_profile(lanes.all("laneOffset")),
        sections=tuple(_section(*one) for one in zip(sections, begins, [*begins[1:], length], strict=True)),
        speeds=tuple((one.number("s", low=0.0, high=FARTHEST), _type_speed(one)) for one in element.all("type")),
        predecessor=links.get("predecessor"),
        successor=links.get("successor"),
        element=element,
    )


def _link(element: XmlElement) -> Link:
    kind = element.word("elementType", "road")
    return Link(kind, element.word("elementId"), element.word("contactPoint", "start"))


def _shape(elements: Sequence[XmlElement]) -> tuple[tuple[float, Profile], ...]:
    """Return the lateral profile at each of its stations."""
    by_station: dict[float, list[XmlElement]] = {}
    for one in elements:
        by_station.setdefault(one.number("s", low=0.0, high=FARTHEST), []).append(one)
    return tuple((s, read_profile(by_station[s], "t")) for s in sorted(by_station))


def _section(element: XmlElement, begin: float, end: float) -> LaneSection:
    sides: dict[str, list[LaneShape]] = {}
    for side, sign in (("left", 1), ("right", -1)):
        lanes = sorted((_lane(one, begin) for one in element.all(f"{side}/lane")), key=lambda lane: abs(lane.id))
        if [lane.id for lane in lanes] != [sign * (k + 1) for k in range(len(lanes))] or len(lanes) > MOST_LANES:
            raise element.error(
                "",
                f"lanes {', '.join(str(lane.id) for lane in lanes[:8])} on the {side}",
                f"at most {MOST_LANES} lanes {sign}, {2 * sign}, ...",
            )
        sides[side] = lanes
    center = [mark for one in element.all("center/lane") for mark in _marks(one, begin)]
    return LaneSection(begin, end, tuple(sides["left"]), tuple(sides["right"]), tuple(center))


def _lane(element: XmlElement, begin: float) -> LaneShape:
    """Return a lane of a section that begins at a station [m]."""

    def at(one: XmlElement) -> float:
        return begin + one.number("sOffset", 0.0, 0.0, FARTHEST)

    widths, borders = element.all("width"), element.all("border")
    return LaneShape(
        id=_lane_id(element),
        kind=element.word("type", "none"),
        width=read_profile(widths or borders, "sOffset", begin),
        is_border=bool(borders) and not widths,
        heights=tuple(
            (at(one), one.number("inner", 0.0, -100.0, 100.0), one.number("outer", 0.0, -100.0, 100.0)) for one in element.all("height")
        ),
        level=element.word("level", "false").lower() in ("true", "1"),
        speeds=tuple((at(one), _speed(one)) for one in element.all("speed")),
        friction=min(
            (one.number("friction", math.nan, 0.0, 2.0) for one in element.all("material") if "friction" in one.attrib), default=math.nan
        ),
        marks=tuple(_marks(element, begin)),
        successors=tuple(_lane_id(one) for one in element.all("link/successor")),
        predecessors=tuple(_lane_id(one) for one in element.all("link/predecessor")),
        direction=element.word("direction", "standard"),
        line=element.line,
    )


def _lane_id(element: XmlElement, name: str = "id") -> int:
    value = element.number(name, low=-1000, high=1000)
    if value != int(value):
        raise element.error(name, element.get(name), "an integer")
    return int(value)


def _marks(element: XmlElement, begin: float) -> list[RoadMark]:
    marks = []
    for one in element.all("roadMark"):
        lines = one.all("type/line")
        dash = (lines[0].number("length", 0.0, 0.0, 1e4), lines[0].number("space", 0.0, 0.0, 1e4)) if lines else (0.0, 0.0)
        usual = 0.25 if one.word("weight", "standard") == "bold" else 0.12
        width = one.number("width", 0.0, 0.0, 20.0) or (lines[0].number("width", 0.0, 0.0, 20.0) if lines else 0.0) or usual
        at = begin + one.number("sOffset", 0.0, 0.0, FARTHEST)
        marks.append(
            RoadMark(at, one.word("type", "none"), one.word("color", "standard"), width, dash, one.word("laneChange", ""), one.line)
        )
    return sorted(marks, key=lambda mark: mark.begin)


def _type_speed(element: XmlElement) -> float:
    """Return the speed limit of a road type [m/s]: of the file, else the usual one."""
    speeds = element.all("speed")
    return _speed(speeds[0]) if speeds else USUAL_SPEEDS.get(element.word("type", ""), OTHER_SPEED) * SPEED_UNITS["km/h"]


def _speed(element: XmlElement) -> float:
    """Return a speed limit [m/s]; infinity for none."""
    if element.word("max").lower() in ("no limit", "undefined"):
        return math.inf
    unit = element.word("unit", "m/s") or "m/s"
    if unit not in SPEED_UNITS:
        raise element.error("unit", unit, f"one of {', '.join(SPEED_UNITS)}")
    value = element.number("max", low=0.0, high=1e4) * SPEED_UNITS[unit]
    return value if value > 0.0 else math.inf


def _junction(element: XmlElement) -> Junction:
    connections = tuple(
        Connection(
            one.word("incomingRoad", ""),
            one.word("connectingRoad", one.get("linkedRoad", "")),
            one.word("contactPoint", "start"),
            tuple((_lane_id(lane, "from"), _lane_id(lane, "to")) for lane in one.all("laneLink")),
            one.line,
        )
        for one in element.all("connection")
    )
    low = frozenset(one.word("low", "") for one in element.all("priority")) - {""}
    return Junction(element.word("id"), element.word("type", "default") or "default", connections, low)
