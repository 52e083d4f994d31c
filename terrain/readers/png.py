"""16-bit gray PNG."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.inputfile import checked_size
from simulator.base.npy_reader import MOST_BYTES
from terrain.readers.contract import ElevationSource
from terrain.readers.request import RasterSamples, ReadRequest, heights_of, raster_of

EXPECTED = "a readable PNG image"
DEEP = ("I;16", "I;16B", "I;16L")
INDEXED = ("L", "P", "1", *DEEP)


def read(asked: ReadRequest) -> ElevationSource:
    """Heights of a 16-bit gray image. Raises ConfigError: it is none, or damaged, or of 8 bits or colors."""
    samples = read_samples(asked)
    return raster_of(asked, heights_of(asked, samples, scaled=False), samples.note)


def read_samples(asked: ReadRequest) -> RasterSamples:
    """Counts of a gray image, or indices. Raises ConfigError."""
    from PIL import Image

    path = asked.path
    checked_size(path, EXPECTED, MOST_BYTES)
    try:
        with Image.open(path, formats=["PNG"]) as image:
            mode = image.mode
            asked.check_size(*image.size)
            values = np.array(image)
    except ConfigError:
        raise
    except Exception as error:  # besides its own errors, Pillow lets through those of zlib and struct for damaged bytes
        raise asked.wrong(next(iter(str(error).splitlines()), type(error).__name__), EXPECTED) from None
    if asked.indices:
        if mode not in INDEXED:
            raise asked.wrong(f"image mode {mode}", "an image of indices: gray or with a palette")
    elif mode not in DEEP and not (mode == "I" and _is_gray_16(asked)):
        raise asked.wrong(
            f"image mode {mode}", "a 16-bit gray PNG (8 bits are too coarse for a road, and Pillow cuts colors of 16 bits to 8)"
        )
    return RasterSamples(_unsigned(values))


def _unsigned(values: NDArray[np.generic]) -> NDArray[np.generic]:
    """Counts as whole numbers from 0 on; older Pillow versions give wider ones."""
    return values.astype(np.uint16)


def _is_gray_16(asked: ReadRequest) -> bool:
    """Older Pillow versions call a 16-bit gray PNG mode I; its header (PNG specification, IHDR) is the judge."""
    with asked.path.open("rb") as stream:
        return stream.read(26)[24:26] == bytes((16, 0))


def write_png16(path: Path, samples: NDArray[np.uint16]) -> None:
    """Write samples (rows, columns) as a 16-bit gray PNG, first row on top.

    Raises
    ------
    ConfigError : samples are not a 2-D array of 16-bit numbers
    """
    from PIL import Image

    if samples.dtype != np.uint16 or samples.ndim != 2:
        raise ConfigError(path, "", f"{samples.dtype} {samples.shape}", "rows x columns of uint16")
    Image.fromarray(np.ascontiguousarray(samples)).save(path, format="PNG", optimize=True)
