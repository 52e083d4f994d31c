"""Pictures of a run for its page: states kept while it is driven, and drawn when it is over."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import DeviceError
from simulator.base.records import Record
from simulator.builder.builder import SessionParts, view_geometry

if TYPE_CHECKING:
    from simulator.session import Session
    from simulator.view.offscreen import Offscreen
    from simulator.view.rut_tiles import RutTiles

PERIOD = 0.1
"""s between two states that are kept."""
SIZE = (640, 360)
QUALITY = 82
"""Of a JPEG; about 30 kB each."""
CAMERA = "chase"


class Seen(NamedTuple):
    """A state that is drawn."""

    state: Record
    """READOUT"""
    pressed: list[RutTiles]
    """Tiles of ruts that have changed since the one drawn before, in order."""


class States:
    """An outlet that keeps the state of the vehicle every so often."""

    def __init__(self, every: int) -> None:
        self.every = every
        self.kept: list[Record] = []
        self.pressed: list[RutTiles] = []
        """Tiles of ruts that have changed since the state before."""
        self._noted = 0

    def publish(self, session: Session) -> None:
        """One state."""
        from simulator.view.rut_tiles import RutTiles
        from terrain.rut_changes import changes_since

        self.kept.append(session.readout.copy())
        places, depths, self._noted = changes_since(session.soil, self._noted)
        self.pressed.append(RutTiles(places, depths))

    def close(self) -> None:
        """Nothing: the states stay."""

    def spread(self, count: int) -> list[Seen]:
        """So many of them, from the first to the last."""
        chosen = np.linspace(0, len(self.kept) - 1, min(count, len(self.kept))).round().astype(int).tolist()
        firsts = [0, *(place + 1 for place in chosen)]
        return [Seen(self.kept[place], self.pressed[first : place + 1]) for first, place in zip(firsts, chosen, strict=False)]


def drawn_states(parts: SessionParts, states: list[Seen], say: Callable[[str], None]) -> list[tuple[bytes, str]]:
    """JPEG files of some states, each with its time, speed and steering in words; none, and a word about it, where nothing can draw."""
    from simulator.view.offscreen import Offscreen

    try:
        view = Offscreen(*SIZE, parts.ground, view_geometry(parts.vehicle))
    except DeviceError as error:
        say(f"no pictures of the drive: {error}")
        return []
    return pictures_of(view, states)


def pictures_of(view: Offscreen, states: list[Seen]) -> list[tuple[bytes, str]]:
    """The same with something that draws; instruments, which would show what a state does not hold, are left out."""
    view.camera, view.scene.instruments = CAMERA, False
    driven: dict[tuple[int, int], NDArray[np.uint16]] = {}
    pictures = []
    for state, pressed in states:
        for tiles in pressed:
            driven.update((tuple(place), depths) for place, depths in zip(tiles.places.tolist(), tiles.depths, strict=True))
        if driven:
            _show_around(view, state, driven)
        pictures.append((_jpeg(view.render(state)), _words(state)))
    return pictures


def _show_around(view: Offscreen, state: Record, driven: dict[tuple[int, int], NDArray[np.uint16]]) -> None:
    """Those of the tiles with ruts that lie around a vehicle."""
    from simulator.view.rut_tiles import SIDE, RutTiles
    from terrain.rut_grid import TILE_SIDE

    places = np.array(list(driven), np.int32)
    off = np.abs(places - np.floor(state[0]["p_WB"][:2] / TILE_SIDE))
    near = np.flatnonzero(off.max(axis=1) < SIDE // 2)
    view.scene.smooth_out()
    view.scene.show_ruts(RutTiles(places[near], np.array([driven[tuple(places[n])] for n in near], np.uint16)))


def _words(state: Record) -> str:
    now = state[0]
    wheel = round(float(np.degrees(now["steering_wheel_angle"])))
    return f"{float(now['time']):.1f} s, {3.6 * float(now['v_WB_B'][0]):.0f} km/h, steering wheel {wheel:+d}°"


def _jpeg(image: NDArray[Any]) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(image).save(out, format="jpeg", quality=QUALITY)
    return out.getvalue()
