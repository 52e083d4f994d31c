"""Formats of `jounce export`: what each one reads, the package that it needs and the function that writes it."""

from __future__ import annotations

from typing import NamedTuple

EXTRA = "export"
"""Extra with the packages of all formats."""


class Format(NamedTuple):
    """Format of an export."""

    place: str
    """`module:function`; the function checks an `ExportedRun` and plans the files of an `Output`."""
    meaning: str
    packages: tuple[str, ...] = ()
    """Packages that must be importable."""


FORMATS = {
    "csv": Format("simulator.exports.csv_files:export", "table of the log with units, and a table of its columns"),
    "mat": Format("simulator.exports.mat:export", "MATLAB 5: one structure per column, with unit, frame and meaning", ("scipy",)),
    "mdf4": Format("simulator.exports.mdf4:export", "ASAM MDF 4.10: one group per rate, events", ("asammdf",)),
    "mcap": Format("simulator.exports.mcap:export", "MCAP: log, odometry and events next to the sensor topics", ("mcap", "zstandard")),
    "rosbag2": Format("simulator.exports.rosbag2:export", "folder of rosbag2 with the same topics", ("rosbags", "mcap")),
    "kitti": Format(
        "simulator.exports.kitti:export", "clouds, images, poses, calibration and object boxes in the layout of KITTI", ("mcap",)
    ),
    "coco": Format(
        "simulator.exports.coco:export", "images of color, and instances with boxes and masks, in the layout of COCO", ("mcap",)
    ),
    "las": Format("simulator.exports.las:export", "clouds of each lidar in the world frame, LAS 1.4", ("laspy", "mcap")),
    "motec": Format("simulator.exports.motec:export", "MoTeC .ld, experimental"),
}
"""Formats by name, in the order of the help."""
