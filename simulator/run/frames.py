"""Rendered images of a run for its page: states are stored during the run and rendered afterwards."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import DeviceError
from simulator.base.records import Record
from simulator.builder.builder import view_geometry
from simulator.builder.session_parts import SessionParts
from simulator.view.make_terrain_data import make_terrain_data

if TYPE_CHECKING:
    from simulator.session import Session
    from simulator.view.object_changes import ObjectChanges
    from simulator.view.offscreen import Offscreen
    from simulator.view.rut_tiles import RutTiles

PERIOD = 0.1
"""Time [s] between two stored states."""
SIZE = (640, 360)
QUALITY = 82
"""JPEG quality; an image has about 30 kB."""
CAMERA = "chase"


class FrameState(NamedTuple):
    """State to render."""

    state: Record
    """READOUT record."""
    pressed: list[RutTiles]
    """Tiles of ruts that changed since the previous rendered state, in order."""
    moved: list[ObjectChanges]
    """Objects that moved freely or were removed since then, in order."""
    vehicles: Record
    """Other vehicles, records of `simulator.view.vehicle_states.VEHICLE`."""


class States:
    """Outlet that stores the state of the vehicle at intervals."""

    label = "images"
    """Name of the outlet in messages."""

    def __init__(self, every: int) -> None:
        from simulator.view.object_changes import ChangedObjects

        self.every = every
        self.kept: list[Record] = []
        self.pressed: list[RutTiles] = []
        """Tiles of ruts that changed since the previous state."""
        self.moved: list[ObjectChanges] = []
        """Objects that moved freely or were removed since the previous state."""
        self.vehicles: list[Record] = []
        self._last_change, self._changed_objects = 0, ChangedObjects()

    def publish(self, session: Session) -> None:
        """Store the present state."""
        from simulator.view.rut_tiles import RutTiles
        from terrain.rut_changes import changes_since

        self.kept.append(session.readout.copy())
        places, depths, self._last_change = changes_since(session.soil, self._last_change)
        self.pressed.append(RutTiles(places, depths))
        self.vehicles.append(session.others.states)
        self.moved.append(self._changed_objects.take(session.objects, float(session.readout[0]["time"])))

    def close(self) -> None:
        """Do nothing; the states remain available."""

    def spread(self, count: int) -> list[FrameState]:
        """Return `count` states, evenly spread from the first to the last."""
        return self.at(np.linspace(0, len(self.kept) - 1, min(count, len(self.kept))).round().astype(int).tolist())

    def at(self, indices: Sequence[int]) -> list[FrameState]:
        """Return the states at these places of `kept`, which increase."""
        firsts = [0, *(index + 1 for index in indices)]
        return [
            FrameState(self.kept[last], self.pressed[first : last + 1], self.moved[first : last + 1], self.vehicles[last])
            for first, last in zip(firsts, indices, strict=False)
        ]


def drawn_states(parts: SessionParts, states: list[FrameState], say: Callable[[str], None]) -> list[tuple[bytes, str]]:
    """Return JPEG files of states with captions of time, speed and steering; without a display, print a message and return none."""
    from simulator.view.offscreen import Offscreen

    try:
        view = Offscreen(*SIZE, make_terrain_data(parts.ground, parts.options.weather), view_geometry(parts.vehicle))
    except DeviceError as error:
        say(f"no images of the run: {error}")
        return []
    return pictures_of(view, states)


def pictures_of(view: Offscreen, states: list[FrameState]) -> list[tuple[bytes, str]]:
    """Return JPEG files of states from a given view; the instruments are hidden, because a state does not contain their values."""
    view.camera, view.scene.instruments = CAMERA, False
    tiles_with_ruts: dict[tuple[int, int], NDArray[np.uint16]] = {}
    pictures = []
    for state, pressed, moved, vehicles in states:
        for changes in moved:
            view.scene.move_objects(changes)
        view.scene.place_vehicles(vehicles)
        for tiles in pressed:
            tiles_with_ruts.update((tuple(position), depths) for position, depths in zip(tiles.places.tolist(), tiles.depths, strict=True))
        if tiles_with_ruts:
            _show_around(view, state, tiles_with_ruts)
        pictures.append((_jpeg(view.render(state)), _caption(state)))
    return pictures


def _show_around(view: Offscreen, state: Record, tiles_with_ruts: dict[tuple[int, int], NDArray[np.uint16]]) -> None:
    """Show the tiles with ruts near a vehicle."""
    from simulator.view.rut_tiles import SIDE, RutTiles
    from terrain.rut_grid import TILE_SIDE

    places = np.array(list(tiles_with_ruts), np.int32)
    distance = np.abs(places - np.floor(state[0]["p_WB"][:2] / TILE_SIDE))
    near = np.flatnonzero(distance.max(axis=1) < SIDE // 2)
    view.scene.smooth_out()
    view.scene.show_ruts(RutTiles(places[near], np.array([tiles_with_ruts[tuple(places[n])] for n in near], np.uint16)))


def _caption(state: Record) -> str:
    now = state[0]
    wheel = round(float(np.degrees(now["steering_wheel_angle"])))
    return f"{float(now['time']):.1f} s, {3.6 * float(now['v_WB_B'][0]):.0f} km/h, steering wheel {wheel:+d}°"


def _jpeg(image: NDArray[Any]) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(image).save(out, format="jpeg", quality=QUALITY)
    return out.getvalue()
