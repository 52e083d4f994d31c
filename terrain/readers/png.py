"""16-bit gray PNG images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.inputfile import checked_size
from simulator.base.npy_reader import MAX_BYTES
from terrain.readers.contract import ElevationSource
from terrain.readers.request import RasterSamples, ReadRequest, heights_of, raster_of

EXPECTED = "a readable PNG image"
DEEP = ("I;16", "I;16B", "I;16L")
INDEXED = ("L", "P", "1", *DEEP)


def read(request: ReadRequest) -> ElevationSource:
    """Read the heights of a 16-bit gray image. Raises ConfigError for damaged files, 8 bits or colors."""
    samples = read_samples(request)
    return raster_of(request, heights_of(request, samples, scaled=False), samples.note)


def read_samples(request: ReadRequest) -> RasterSamples:
    """Read the counts of a gray image, or indices. Raises ConfigError."""
    from PIL import Image

    path = request.path
    checked_size(path, EXPECTED, MAX_BYTES)
    try:
        with Image.open(path, formats=["PNG"]) as image:
            mode = image.mode
            request.check_size(*image.size)
            values = np.array(image)
    except ConfigError:
        raise
    except Exception as error:  # Pillow does not convert the exceptions of zlib and struct for damaged bytes
        raise request.wrong(next(iter(str(error).splitlines()), type(error).__name__), EXPECTED) from None
    if request.indices:
        if mode not in INDEXED:
            raise request.wrong(f"image mode {mode}", "an index image: gray or with a palette")
    elif mode not in DEEP and not (mode == "I" and _is_gray_16(request)):
        raise request.wrong(
            f"image mode {mode}", "a 16-bit gray PNG (8 bits are too coarse for a road, and Pillow reduces 16-bit colors to 8 bits)"
        )
    return RasterSamples(values.astype(np.uint16))  # older Pillow versions return wider types


def _is_gray_16(request: ReadRequest) -> bool:
    """Return True if the header (PNG specification, IHDR) declares 16-bit gray; older Pillow versions report mode I."""
    with request.path.open("rb") as stream:
        return stream.read(26)[24:26] == bytes((16, 0))


def write_png16(path: Path, samples: NDArray[np.uint16]) -> None:
    """Write samples (rows, columns) as a 16-bit gray PNG, first row on top.

    Raises
    ------
    ConfigError : samples are not a 2-D array of 16-bit numbers
    """
    from PIL import Image

    if samples.dtype != np.uint16 or samples.ndim != 2:
        raise ConfigError(path, "", f"{samples.dtype} {samples.shape}", "a 2-D array of uint16")
    Image.fromarray(np.ascontiguousarray(samples)).save(path, format="PNG", optimize=True)
