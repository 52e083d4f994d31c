"""Picture of the choice behind the menu of the start screen."""

from __future__ import annotations

import time

import numpy as np
import pytest

from simulator.start_screen.choice import USUAL
from simulator.start_screen.live_picture import LivePicture
from simulator.start_screen.preview import SIZE, picture, shot
from simulator.view.shot import clip_of_world
from simulator.view.textures import SUN

FLAT = {"vehicle": "sedan", "terrain": "flat", "set": []}


def test_the_vehicle_is_right_of_the_menu():
    length = 4.6
    view = clip_of_world(shot(np.array((3.0, 5.0, 0.6)), np.eye(3), length, SUN), SIZE[0] / SIZE[1], 100.0)
    for x, y in ((2.3, 0.9), (2.3, -0.9), (-2.3, 0.9), (-2.3, -0.9)):
        clip = view @ np.array((3.0 + x, 5.0 + y, 0.6, 1.0))
        assert -0.1 < clip[0] / clip[3] < 0.95 and abs(clip[1] / clip[3]) < 0.8


def test_a_picture_of_a_choice():
    image = picture(FLAT)
    assert image.shape == (SIZE[1], SIZE[0], 3)
    assert image[:, SIZE[0] // 2 :].std() > image[:, : SIZE[0] // 2].std() > 5.0  # the vehicle is on the right


@pytest.fixture
def live(tmp_path):
    one = LivePicture(str(tmp_path))
    yield one
    one.close()


def wait_for(condition, seconds: float = 240.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError("nothing came")


def test_a_choice_is_drawn_and_a_wrong_one_is_named(live):
    choice = USUAL | {"terrain": "flat", "vehicle": "sedan"}

    def taken():
        live.show(choice)
        image = live.take()
        return None if image is None else [image]

    assert wait_for(taken)[0].shape == (SIZE[1], SIZE[0], 3)
    choice["terrain"] = "no_such_terrain"

    def trouble():
        live.show(choice)
        return live.text

    assert "no_such_terrain" in wait_for(trouble)
