"""Do encoded images come back as they were, also when the process that encodes them is killed?"""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from simulator.sensors.messages import jpeg
from simulator.sensors.messages.jpeg import jpeg_bytes
from simulator.sensors.messages.png import png_bytes


def opened(data: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(data)))


GRAY, COLOR = [(7, 5), (1, 1), (48, 64)], [(7, 5, 3), (3, 1, 3)]


@pytest.mark.parametrize(("shape", "dtype"), [*((one, np.uint8) for one in GRAY + COLOR), *((one, np.uint16) for one in GRAY)])
def test_png_keeps_every_bit(shape: tuple[int, ...], dtype: type) -> None:
    pixels = np.random.default_rng(1).integers(0, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    assert np.array_equal(opened(png_bytes(pixels)), pixels)
    assert np.array_equal(opened(png_bytes(pixels[::-1, ::-1])), pixels[::-1, ::-1]), "also of a view with strides"


def test_png_refuses_other_numbers() -> None:
    for pixels in (np.zeros((2, 2)), np.zeros((2, 2, 4), np.uint8), np.zeros((2, 2), np.uint32)):
        with pytest.raises(ValueError, match="expected 8 or 16 bits"):
            png_bytes(pixels)


def test_jpeg_of_the_process_is_that_of_this_one_and_its_end_is_survived() -> None:
    rows, columns = np.mgrid[:48, :64]
    for pixels in (np.stack((rows * 5, columns * 4, rows + columns), -1).astype(np.uint8), (rows * 5).astype(np.uint8)):
        here = io.BytesIO()
        Image.fromarray(pixels).save(here, "jpeg", quality=jpeg.QUALITY)
        first = jpeg_bytes(pixels)
        assert first == here.getvalue() and jpeg._process is not None
        assert np.abs(opened(first).astype(int) - pixels).max() < 24
        process = jpeg._process
        process.kill()
        process.wait()
        assert jpeg_bytes(pixels) == first, "by this process"
        assert jpeg_bytes(pixels) == first and jpeg._process not in (None, process), "by a new one"
    jpeg._end()
    assert jpeg._process is None
