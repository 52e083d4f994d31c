"""NumPy arrays (.npy)."""

from __future__ import annotations

from simulator.base.npy_reader import read_npy
from terrain.readers.contract import ElevationSource
from terrain.readers.request import RasterSamples, ReadRequest, heights_of, raster_of


def read(request: ReadRequest) -> ElevationSource:
    """Read the heights of a 2-D array of numbers. Raises ConfigError."""
    samples = read_samples(request)
    return raster_of(request, heights_of(request, samples, scaled=False), samples.note)


def read_samples(request: ReadRequest) -> RasterSamples:
    """Read the array. Raises ConfigError if it is not a 2-D array of numbers."""
    values = read_npy(request.path, "a readable .npy file with one array")
    if values.dtype.kind not in "fiu" or (values.dtype.itemsize == 1 and not request.indices):
        raise request.wrong(values.dtype, "one array of real numbers of 16 bits or more")
    if values.ndim != 2:
        raise request.wrong(values.shape, "a 2-D array (rows x columns)")
    request.check_size(values.shape[1], values.shape[0])
    return RasterSamples(values)
