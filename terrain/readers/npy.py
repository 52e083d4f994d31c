"""NumPy arrays."""

from __future__ import annotations

from simulator.base.npy_reader import read_npy
from terrain.readers.contract import ElevationSource
from terrain.readers.request import RasterSamples, ReadRequest, heights_of, raster_of


def read(asked: ReadRequest) -> ElevationSource:
    """Heights of a 2-D array of numbers. Raises ConfigError."""
    samples = read_samples(asked)
    return raster_of(asked, heights_of(asked, samples, scaled=False), samples.note)


def read_samples(asked: ReadRequest) -> RasterSamples:
    """The array. Raises ConfigError: it is none of two axes of numbers."""
    values = read_npy(asked.path, "a readable .npy file of one array")
    if values.dtype.kind not in "fiu" or (values.dtype.itemsize == 1 and not asked.indices):
        raise asked.wrong(values.dtype, "one array of real numbers of 16 bits or more")
    if values.ndim != 2:
        raise asked.wrong(values.shape, "rows x columns")
    asked.check_size(values.shape[1], values.shape[0])
    return RasterSamples(values)
