"""Do the pictures of a page show what the drive has put into its block, and is nothing encoded that no page shows?"""

from __future__ import annotations

import asyncio
import io

import numpy as np
import pytest
from PIL import Image

from simulator.console.pictures import PARTS, Pictures
from simulator.view.inset_block import InsetBlock


@pytest.fixture
def block():
    block = InsetBlock()
    yield block
    block.close()


@pytest.fixture
def pictures(block):
    pictures = Pictures(block.name)
    yield pictures
    pictures.close()


def read(message):
    """Part, title and image of a message."""
    length = message[1]
    return PARTS[message[0]], message[2 : 2 + length].decode(), np.asarray(Image.open(io.BytesIO(message[2 + length :])))


def serve(pictures, wanted, seconds=0.4):
    async def some_time():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(pictures.serve(lambda: wanted), seconds)

    asyncio.run(some_time())


def test_a_camera_image_arrives_with_its_name(block, pictures):
    image = np.zeros((90, 160, 3), np.uint8)
    image[:, 80:] = (200, 40, 40)
    block.put_image("vørn", image)
    serve(pictures, {"camera"})
    number, message = pictures.latest["camera"]
    part, title, found = read(message)
    assert (number, part, title, found.shape) == (1, "camera", "vørn", (90, 160, 3))
    assert np.abs(found[:, ::20].astype(int) - image[:, ::20]).mean() < 6.0, "a JPEG is not exact"
    block.put_image("vørn", image)
    serve(pictures, {"camera"})
    assert pictures.latest["camera"][0] == 2


def test_points_are_drawn_from_above_ahead_is_up(block, pictures):
    points = np.zeros(2, [("x", "f4"), ("y", "f4"), ("z", "f4")])
    points["x"], points["y"] = (20.0, 0.0), (0.0, 20.0)
    block.put_points("top", points)
    serve(pictures, {"lidar"})
    _, title, image = read(pictures.latest["lidar"][1])
    colored = np.argwhere(image.max(axis=2).astype(int) - image.min(axis=2) > 60)
    middle = image.shape[0] / 2
    assert title == "top" and len(colored) == 2
    assert (np.abs(colored - (middle / 2, middle)) < 2).all(axis=1).any(), "ahead is up"
    assert (np.abs(colored - (middle, middle / 2)) < 2).all(axis=1).any(), "left is left"


def test_nothing_is_encoded_that_no_page_shows(block, pictures):
    block.put_image("front", np.zeros((90, 160, 3), np.uint8))
    serve(pictures, set())
    assert pictures.latest == {}
    serve(pictures, {"map"})
    assert pictures.latest == {}


def test_a_drive_without_pictures_has_no_block():
    asyncio.run(Pictures("").serve(lambda: {"camera"}))
