"""Pictures of a run for its page: states kept while it is driven, and drawn when it is over."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import DeviceError
from simulator.base.records import Record
from simulator.build import Parts, view_geometry

if TYPE_CHECKING:
    from simulator.session import Session
    from simulator.view.offscreen import Offscreen

PERIOD = 0.1
"""s between two states that are kept."""
SIZE = (640, 360)
QUALITY = 82
"""Of a JPEG; about 30 kB each."""
CAMERA = "chase"


class States:
    """An outlet that keeps the state of the vehicle every so often."""

    def __init__(self, every: int) -> None:
        self.every = every
        self.kept: list[Record] = []

    def publish(self, session: Session) -> None:
        """One state."""
        self.kept.append(session.readout.copy())

    def close(self) -> None:
        """Nothing: the states stay."""

    def spread(self, count: int) -> list[Record]:
        """So many of them, from the first to the last."""
        places = np.linspace(0, len(self.kept) - 1, min(count, len(self.kept))).round().astype(int)
        return [self.kept[place] for place in places.tolist()]


def drawn_states(parts: Parts, states: list[Record], say: Callable[[str], None]) -> list[tuple[bytes, str]]:
    """JPEG files of some states, each with its time, speed and steering in words; none, and a word about it, where nothing can draw."""
    from simulator.view.offscreen import Offscreen

    try:
        view = Offscreen(*SIZE, parts.ground, view_geometry(parts.vehicle))
    except DeviceError as error:
        say(f"no pictures of the drive: {error}")
        return []
    return pictures_of(view, states)


def pictures_of(view: Offscreen, states: list[Record]) -> list[tuple[bytes, str]]:
    """The same with something that draws; instruments, which would show what a state does not hold, are left out."""
    view.camera, view.scene.instruments = CAMERA, False
    return [(_jpeg(view.render(state)), _words(state)) for state in states]


def _words(state: Record) -> str:
    now = state[0]
    wheel = round(float(np.degrees(now["steering_wheel_angle"])))
    return f"{float(now['time']):.1f} s, {3.6 * float(now['v_WB_B'][0]):.0f} km/h, steering wheel {wheel:+d}°"


def _jpeg(image: NDArray[Any]) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(image).save(out, format="jpeg", quality=QUALITY)
    return out.getvalue()
