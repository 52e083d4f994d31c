"""Height maps in files: 16-bit gray PNG and NumPy arrays.

A file holds samples only. Where they lie is said beside it: `origin` is the place of the south-west sample (a sample is a point, not
an area), `spacing` the distance of samples along x and y, `first_row` whether the file begins with the northern row (images and
most elevation data) or with the southern one. In memory row 0 is always the southern row and column 0 the western one.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrayfile import MOST_BYTES, read_npy
from simulator.base.errors import ConfigError
from simulator.base.inputfile import checked_size

FIRST_ROWS = ("north", "south")
SMALLEST, LARGEST = 4, 16385


def read_heightmap(path: Path, first_row: str = "north", scale: float = 1.0, offset: float = 0.0) -> NDArray[np.float64]:
    """Heights (ny, nx) in m, row 0 in the south, of a 16-bit gray ``.png`` or a 2-D numeric ``.npy``: scale * sample + offset.

    Raises
    ------
    ConfigError : missing or damaged file, unknown suffix, 8-bit or color image, not 2-D, too small or too large, not finite
    """
    if first_row not in FIRST_ROWS:
        raise ConfigError(path, "first_row", first_row, "north or south")
    readers = {".png": _read_png, ".npy": _read_npy}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ConfigError(path, "", path.suffix, "a height map: a 16-bit gray .png or a .npy file")
    checked_size(path, "a height map: a 16-bit gray .png or a .npy file", MOST_BYTES)
    samples = reader(path)
    if samples.ndim != 2 or min(samples.shape) < SMALLEST or max(samples.shape) > LARGEST:
        raise ConfigError(path, "", samples.shape, f"rows x columns, each from {SMALLEST} to {LARGEST}")
    heights = samples.astype(np.float64) * scale + offset
    if not np.isfinite(heights).all():
        raise ConfigError(path, "", "NaN or infinity among the heights", "finite heights; fill voids first")
    return np.ascontiguousarray(heights[::-1] if first_row == "north" else heights)


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


def _read_png(path: Path) -> NDArray[np.generic]:
    from PIL import Image

    try:
        with Image.open(path, formats=["PNG"]) as image:
            mode = image.mode
            if max(image.size) > LARGEST:
                raise ConfigError(path, "", image.size, f"at most {LARGEST} columns and rows")
            samples = np.array(image)
    except ConfigError:
        raise
    except Exception as error:  # besides its own errors, Pillow lets through those of zlib and struct for damaged bytes
        raise ConfigError(path, "", next(iter(str(error).splitlines()), type(error).__name__), "a readable PNG image") from None
    if mode not in ("I;16", "I;16B", "I;16L") and not (mode == "I" and _is_gray_16(path)):
        raise ConfigError(path, "", f"image mode {mode}", "a 16-bit gray PNG (8 bits are too coarse for a road)")
    return samples


def _is_gray_16(path: Path) -> bool:
    """Older Pillow versions call a 16-bit gray PNG mode I; its header (PNG specification, IHDR) is the judge."""
    with path.open("rb") as stream:
        return stream.read(26)[24:26] == bytes((16, 0))


def _read_npy(path: Path) -> NDArray[np.generic]:
    samples = read_npy(path, "a readable .npy file of one array")
    if samples.dtype.kind not in "fiu":
        raise ConfigError(path, "", samples.dtype, "one array of real numbers")
    return samples
