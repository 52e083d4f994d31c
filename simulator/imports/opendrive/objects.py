"""Objects and signals of the roads as objects of a terrain."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from simulator.base.arrays import Array
from simulator.base.xml_file import XmlElement
from simulator.imports.opendrive.document import Document, Road
from simulator.imports.opendrive.layout import frame, point
from simulator.imports.opendrive.outlines import convex_parts
from simulator.imports.result import Losses
from simulator.tools.terrain.mesh_world import WORDS
from terrain.generators.generated_terrain import Entry
from terrain.objects.table_text import ON_GROUND
from terrain.objects.trees import tree
from terrain.objects.world_object import Box, Cylinder, Material, Shape, WorldObject

LABELS = {
    "building": "building", "tree": "vegetation", "vegetation": "vegetation", "pole": "post", "streetlamp": "post", "barrier": "barrier",
    "soundbarrier": "barrier", "railing": "fence", "gantry": "other", "obstacle": "other", "trafficisland": "curb", "pedestrian": "person",
} | dict.fromkeys(("car", "van", "bus", "trailer", "truck", "motorbike", "bike", "train", "tram"), "vehicle")  # fmt: skip
"""Label of each type of object, in small letters; of other types, words in the name decide."""
FLAT = frozenset(("parkingspace", "roadmark", "patch", "roadsurface"))
"""Types of objects that are flat."""
CROSSWALK, STOP_LINE = "crosswalk", "stop line"
"""Objects that are painted on the road."""
LOWEST = 0.05
"""m. Lower objects are painted on the road."""
ON_ROAD = 0.3
"""m. An object with a smaller offset to the road stands on the ground."""
SEGMENT = 4.0
"""m. Longest part of an object that follows the road, such as a guard rail."""
THIN = 0.1
"""m. Thickness of an object that follows the road and has no width, and of the walls of an open outline."""
RECTANGLE = 0.05
"""m. Largest distance of the corners of an outline from a rectangle that becomes a box."""
MAX_OBJECTS = 50_000
"""Maximum number of objects: 10 000 are ready in 1.5 s."""
FARTHEST, BIGGEST = 1e5, 1e3
"""m. Largest offset from the road, and largest size."""
PLATE, THICK = 0.6, 0.03
"""m. Side of a signal without a size [assumed], and thickness of its plate."""
POLE, LAMP_HEIGHT = 0.035, 3.5
"""m. Radius of the pole of a signal [assumed]; from this height on, the view draws a post as a street lamp."""
EYE_LEVEL, HIGH = 2.0, 1.2
"""m. Lower edge of a plate [assumed] whose file gives less than HIGH for its upper edge, for example the height of the foot."""
CLEAR = 4.0
"""m. Lower edge from which on a signal hangs above the lanes for vehicles."""
GRAY, DARK = (0.6, 0.61, 0.62), (0.12, 0.12, 0.12)
STOP, GIVE_WAY = (0.7, 0.0, 0.0), (0.8, 0.0, 0.0)
"""Colors that the view draws as these signs."""
COLORS = {"206": STOP, "R1-1": STOP, "205": GIVE_WAY, "R1-2": GIVE_WAY}
"""Color of the signals of a type; others are boards."""


class Track(NamedTuple):
    """A place beside a road."""

    x: float
    y: float
    heading: float
    """rad, of the road"""


@dataclass
class RoadObjects:
    """Objects of all roads.

    Parameters
    ----------
    height : function of x (n,), y (n,) that returns the heights of the terrain [m]
    on_lane : function of x, y that returns 1 where a lane for vehicles is

    Attributes
    ----------
    simple : for a table of objects
    hulls : entries of the list `objects` of a terrain file
    marks : painted lines
    """

    document: Document
    losses: Losses
    height: Callable[[Array, Array], Array]
    on_lane: Callable[[Array, Array], Array]
    simple: list[WorldObject] = field(default_factory=list)
    hulls: list[dict[str, Any]] = field(default_factory=list)
    marks: list[Entry] = field(default_factory=list)
    _names: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Build all objects. Raises ConfigError: a number that is none, or too many objects."""
        for road in self.document.roads.values():
            for element in road.element.all("objects/object"):
                self._object(road, element)
            for element in road.element.all("signals/signal"):
                self._signal(road, element)
            for path, what in (("objects/bridge", "bridge"), ("objects/tunnel", "tunnel"), ("surface/CRG", "OpenCRG surface")):
                for element in road.element.all(path):
                    self._lose(what, element)

    def _object(self, road: Road, element: XmlElement) -> None:
        label = _label(element)
        s, t = _place(element)
        if not -1.0 <= s <= road.length + 1.0:
            self._lose("object beyond the ends of its road", element)
            return
        if element.number("pitch", 0.0) or element.number("roll", 0.0):
            self._lose("pitch or roll of an object: it is upright", element)
        outlines = element.all("outline") + element.all("outlines/outline")
        repeats = element.all("repeat")
        if outlines and repeats:
            self._lose("repeat of an outline: one object", element)
        painted = _painted(element)
        if painted:
            self._paint(road, element, outlines, painted)
        elif outlines:
            for outline in outlines:
                self._outline(road, element, outline, label)
        elif repeats:
            for repeat in repeats:
                self._repeat(road, element, repeat, label)
        else:
            track = _track(road, s, t)
            sizes = {key: element.number(key, 0.0, 0.0, BIGGEST) for key in ("length", "width", "height", "radius")}
            self._add(element, label, track, _heading(track, element), element.number("zOffset", 0.0, -BIGGEST, BIGGEST), sizes)

    def _add(self, element: XmlElement, label: str, track: Track, heading: float, z: float, sizes: dict[str, float]) -> None:
        """Add an object of a size, as a tree, a box or a cylinder."""
        kind, high = element.word("type", "none").lower(), sizes["height"]
        if kind in FLAT or high < LOWEST or (sizes["radius"] <= 0.0 and min(sizes["length"], sizes["width"]) <= 0.0):
            self._lose(f"object of the type {kind} that is flat or has no size", element)
            return
        across = min(sizes["length"], sizes["width"])
        radius = sizes["radius"] if across <= 0.0 else min(sizes["radius"] or 0.5 * across, 0.5 * across)
        name = self._name(element, label)
        if kind == "tree" and z < ON_ROAD:
            trunk = min(max(0.03 * high, 0.05), 0.3)
            ground = float(self.height(np.array([track.x]), np.array([track.y]))[0])
            self._take(tree(name, (track.x, track.y), high, trunk, ground=ground), element)
            return
        if label in ("post", "vegetation") or across <= 0.0:
            shape: Shape = Cylinder(radius, high)
        else:
            shape = Box((sizes["length"], sizes["width"], high))
        material = Material(extinction=0.8) if label == "vegetation" else Material()
        self._take(
            [WorldObject(name, shape, self._at(track, z, shape), math.remainder(heading, math.tau), label=label, material=material)],
            element,
        )

    def _lose(self, what: str, element: XmlElement) -> None:
        self.losses.add(what, element.line, f"id {element.get('id')}" if element.get("id") else "")

    def _at(self, track: Track, z: float, shape: Shape) -> tuple[float, float, float]:
        """Return the origin of an object whose foot is z [m] above the ground."""
        if abs(z) < ON_ROAD:
            return track.x, track.y, ON_GROUND
        foot = float(self.height(np.array([track.x]), np.array([track.y]))[0]) + z
        return track.x, track.y, foot + (0.5 * shape.size[2] if isinstance(shape, Box) else 0.0)

    def _take(self, objects: Iterable[WorldObject], element: XmlElement) -> None:
        self.simple += objects
        if len(self.simple) + len(self.hulls) > MAX_OBJECTS:
            raise element.error("", f"more than {MAX_OBJECTS} objects", f"at most {MAX_OBJECTS} objects in the file")

    def _repeat(self, road: Road, element: XmlElement, repeat: XmlElement, label: str) -> None:
        """Add the copies of an object along the road, or the parts of an object that follows it."""
        begin, length = repeat.number("s", low=0.0, high=FARTHEST), repeat.number("length", low=0.0, high=FARTHEST)
        distance = repeat.number("distance", 0.0, 0.0, FARTHEST)
        length = min(length, max(road.length - begin, 0.0))
        pitch = distance or SEGMENT
        count = math.floor(length / pitch + 1e-6) + 1 if distance else max(1, math.ceil(length / pitch))
        if count > MAX_OBJECTS:
            raise repeat.error("distance", repeat.get("distance"), f"at most {MAX_OBJECTS} objects")
        keys = {"t": "t", "z": "zOffset", "length": "length", "width": "width", "height": "height", "radius": "radius"}
        ends = {}
        for key, name in keys.items():
            usual = element.number(name, 0.0, -FARTHEST, FARTHEST)
            first = repeat.number(f"{name}Start", usual, -FARTHEST, FARTHEST)
            ends[key] = (first, repeat.number(f"{name}End", first, -FARTHEST, FARTHEST))
        for k in range(count):
            here = k * pitch if distance else (k + 0.5) * length / count
            part = here / length if length > 0.0 else 0.0
            at = {key: (1.0 - part) * low + part * high for key, (low, high) in ends.items()}
            track = _track(road, begin + here, at["t"])
            heading = _heading(track, element)
            sizes = {key: min(max(at[key], 0.0), BIGGEST) for key in ("length", "width", "height", "radius")}
            if not distance:
                a, b = (
                    _track(road, begin + f * length / count, ends["t"][0] + (ends["t"][1] - ends["t"][0]) * f / count) for f in (k, k + 1)
                )
                track = Track(0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.0)
                heading = math.atan2(b.y - a.y, b.x - a.x)
                sizes |= {"length": math.dist(a[:2], b[:2]), "width": sizes["width"] or THIN, "radius": 0.0}
            self._add(element, label, track, heading, at["z"], sizes)

    def _outline(self, road: Road, element: XmlElement, outline: XmlElement, label: str) -> None:
        """Add the body above an outline, as convex parts."""
        corners = _corners(road, element, outline)
        if len(corners) < 3:
            self._lose("outline with less than three corners", outline)
            return
        high = max(corners[:, 3].max(), element.number("height", 0.0, 0.0, BIGGEST) if not corners[:, 3].any() else 0.0)
        if high < LOWEST:
            self._lose(f"object of the type {element.word('type', 'none')} that is flat or has no size", element)
            return
        corners[:, 3] = np.where(corners[:, 3] > LOWEST, corners[:, 3], high)
        if self._is_box(element, corners, label):
            return
        center, lift = corners[:, :2].mean(axis=0), float(corners[:, 2].min())
        ground = float(self.height(center[:1], center[1:])[0])
        place = [*np.round(center, 3).tolist(), *([] if abs(lift) < ON_ROAD else [round(ground + lift, 3)])]
        name = self._name(element, label)
        for k, part in enumerate(convex_parts(corners[:, :2])):
            flat, top = corners[part, :2] - center, corners[part, 2] - lift + corners[part, 3]
            points = np.vstack((np.column_stack((flat, np.zeros(len(part)))), np.column_stack((flat, top))))
            own = f"{name} {k + 1}" if k else name  # parts of one body, as `jounce check` names them
            self.hulls.append({"shape": "hull", "points": np.round(points, 3).tolist(), "position": place, "label": label, "name": own})
        self._take((), element)

    def _is_box(self, element: XmlElement, corners: Array, label: str) -> bool:
        """Add the body above an outline as a box and return True, if the outline is a rectangle with one height."""
        if len(corners) != 4 or np.ptp(corners[:, 2:], axis=0).max() > RECTANGLE:
            return False
        sides = np.diff(corners[:3, :2], axis=0)
        lengths = np.hypot(*sides.T)
        fourth = corners[0, :2] + sides[1]
        if abs(sides[0] @ sides[1]) > RECTANGLE * lengths.max() or np.hypot(*(fourth - corners[3, :2])) > RECTANGLE:
            return False
        x, y = corners[:, :2].mean(axis=0).tolist()
        shape = Box((float(lengths[0]), float(lengths[1]), float(corners[0, 3])))
        at = self._at(Track(x, y, 0.0), float(corners[0, 2]), shape)
        self._take([WorldObject(self._name(element, label), shape, at, math.atan2(sides[0, 1], sides[0, 0]), label=label)], element)
        return True

    def _paint(self, road: Road, element: XmlElement, outlines: list[XmlElement], what: str) -> None:
        """Paint a zebra crossing or a stop line along its longer side, the stripes of a zebra crossing across it."""
        s, t = _place(element)
        track = _track(road, s, t)
        heading = _heading(track, element)
        corners = np.vstack([_corners(road, element, one)[:, :2] for one in outlines]) if outlines else np.zeros((0, 2))
        axes = np.array(((math.cos(heading), math.sin(heading)), (-math.sin(heading), math.cos(heading))))
        if len(corners) >= 3:
            local = (corners - (track.x, track.y)) @ axes.T
            low, high = local.min(axis=0), local.max(axis=0)
        else:
            size = np.array([element.number(key, 0.0, 0.0, BIGGEST) for key in ("length", "width")])
            low, high = -0.5 * size, 0.5 * size
        size, middle = high - low, 0.5 * (low + high)
        if not 0.02 <= size.min() <= 20.0 or size.max() < 0.3:
            self._lose(f"{what} without a size", element)
            return
        along = int(np.argmax(size))
        step = np.zeros(2)
        step[along] = 0.5 * size[along]
        ends = [np.round((track.x, track.y) + (middle + sign * step) @ axes, 3).tolist() for sign in (-1.0, 1.0)]
        look = {"width": round(float(size[1 - along]), 3), **({"dash": [0.5, 0.5]} if what == CROSSWALK else {}), "color": "white"}
        self.marks.append(Entry({"points": ends, **look}))
        self._lose("crosswalk: painted, without a lane for persons" if what == CROSSWALK else "stop line: painted, without effect", element)

    def _signal(self, road: Road, element: XmlElement) -> None:
        """Add a signal as a plate on a pole."""
        s, t = _place(element)
        if not -1.0 <= s <= road.length + 1.0:
            self._lose("signal beyond the ends of its road", element)
            return
        track = _track(road, s, t)
        wide, high = (element.number(key, 0.0, 0.0, 100.0) or PLATE for key in ("width", "height"))
        low = element.number("zOffset", 0.0, -BIGGEST, BIGGEST)
        low = low if low + high > HIGH else EYE_LEVEL
        over_lane = bool(self.on_lane(np.array([track.x]), np.array([track.y]))[0] > 0.5)
        if over_lane and low < CLEAR:
            self._lose("signal on a lane for vehicles, as if it were painted", element)
            return
        against = math.pi if element.word("orientation", "+") == "-" else 0.0
        yaw = math.remainder(track.heading + against + element.number("hOffset", 0.0, -1e4, 1e4), math.tau)
        lamp = element.word("dynamic", "no") == "yes"
        self._lose("traffic light: a body without phases" if lamp else "signal: a plate without effect, except give way and stop", element)
        color = DARK if lamp else COLORS.get(element.word("type", ""), GRAY)
        ground = float(self.height(np.array([track.x]), np.array([track.y]))[0])
        name = self._name(element, "light" if lamp else "sign")
        shape = Box((0.3 if lamp else THICK, wide, high))
        out = [
            WorldObject(
                name,
                shape,
                (track.x, track.y, ground + low + 0.5 * high),
                yaw,
                label="other" if lamp else "sign",
                material=Material(color=color),
            )
        ]
        if not over_lane:
            label = "post" if low < LAMP_HEIGHT else "other"
            out.append(
                WorldObject(
                    f"{name}_pole", Cylinder(POLE, low - 0.01), (track.x, track.y, ON_GROUND), label=label, material=Material(color=GRAY)
                )
            )
        self._take(out, element)

    def _name(self, element: XmlElement, label: str) -> str:
        """Return a new name of an object, made of its label and its id."""
        base = f"{label}_{element.word('id', '') or 'x'}"
        base = "".join(letter if letter.isalnum() or letter in "_-." else "_" for letter in base)[:80]
        count = self._names[base] = self._names.get(base, 0) + 1
        return base if count == 1 else f"{base}_part{count}"


def _label(element: XmlElement) -> str:
    """Return the label of an object, by its type or by words in its name."""
    kind = element.word("type", "none").lower()
    if kind in LABELS:
        return LABELS[kind]
    text = f"{kind} {element.get('name', '')} {element.get('subtype', '')}".lower()
    return next((label for label, words in WORDS.items() if any(word in text for word in words)), "other")


def _painted(element: XmlElement) -> str:
    """Return what an object paints on the road, empty for nothing."""
    kind, name = element.word("type", "none").lower(), element.word("name", "").lower()
    if kind == "crosswalk" or (kind == "roadmark" and "crosswalk" in name):
        return CROSSWALK
    return STOP_LINE if kind == "stopline" or (kind == "roadmark" and "stopline" in name.replace("_", "").replace(" ", "")) else ""


def _place(element: XmlElement) -> tuple[float, float]:
    return element.number("s", low=-FARTHEST, high=1e7), element.number("t", 0.0, -FARTHEST, FARTHEST)


def _track(road: Road, s: float, t: float) -> Track:
    """Return a place beside a road."""
    at = frame(road, np.array([min(max(s, 0.0), road.length)]))
    x, y, _ = point(road, at, np.array([t]))[0].tolist()
    return Track(x, y, math.atan2(at.ahead[0, 1], at.ahead[0, 0]))


def _heading(track: Track, element: XmlElement) -> float:
    """Return the heading of an object [rad]; one with the orientation "-" is turned."""
    turned = math.pi if element.word("orientation", "none") == "-" else 0.0
    return track.heading + turned + element.number("hdg", 0.0, -1e4, 1e4)


def _corners(road: Road, element: XmlElement, outline: XmlElement) -> Array:
    """Return the corners of an outline (n, 4): x, y, offset above the ground, height [m]."""
    s, t = _place(element)
    track, z = _track(road, s, t), element.number("zOffset", 0.0, -BIGGEST, BIGGEST)
    heading = _heading(track, element)
    c, sine = math.cos(heading), math.sin(heading)
    rows = []
    for corner in outline.children():
        if corner.tag not in ("cornerRoad", "cornerLocal"):
            continue
        high = corner.number("height", 0.0, 0.0, BIGGEST)
        if corner.tag == "cornerRoad":
            at = _track(road, *_place(corner))
            rows.append((at.x, at.y, corner.number("dz", 0.0, -BIGGEST, BIGGEST), high))
        else:
            u, v = (corner.number(key, low=-FARTHEST, high=FARTHEST) for key in "uv")
            rows.append((track.x + c * u - sine * v, track.y + sine * u + c * v, z + corner.number("z", 0.0, -BIGGEST, BIGGEST), high))
    corners = np.array(rows).reshape(-1, 4)
    apart = np.hypot(*(corners[:, :2] - np.roll(corners[:, :2], 1, axis=0)).T) > 1e-3 if len(corners) else np.zeros(0, bool)
    return corners[apart]
